//===- NpuDialect.h - The device level of the compiler ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect, types, attributes and operations of NpuOps.td, and the border verifications of its levels.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_NPUDIALECT_H
#define AVOCET_COMPILER_DIALECT_NPU_NPUDIALECT_H

#include "avocet/compiler/Dialect/Npu/Relocation.h"
#include "avocet/compiler/Support/CommandAttr.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "avocet/compiler/Dialect/Npu/NpuDialect.h.inc"
#include "avocet/compiler/Dialect/Npu/NpuEnums.h.inc"
#include "avocet/compiler/Dialect/Npu/NpuInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuAttrs.h.inc"

#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Npu/NpuOps.h.inc"

namespace avocet::compiler::npu {

/// The device's data type for an element type of storage tensors; nullopt for other types.
std::optional<firmware::DataType> dataTypeOf(mlir::Type elementType);

/// Region number (as in firmware::DmaEnd) of a buffer. The job's region table lists inputs, outputs, constants,
/// scratch.
uint32_t regionOf(ProgramOp program, Space space, int64_t index);

/// The address of an allocated buffer: offset in SRAM or in its region. Requires `buffer` to be the result of an
/// npu.buffer with an address.
BufferAddress addressOf(ProgramOp program, mlir::Value buffer);

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_DIALECT_NPU_NPUDIALECT_H
