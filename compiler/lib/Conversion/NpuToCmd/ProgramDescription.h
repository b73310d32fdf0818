//===- ProgramDescription.h - Tables of a scheduled program -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H
#define AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

namespace avocet::compiler {

/// Everything of the model description but the streams: header, operands, regions, layers, memory plan. Requires an
/// allocated program. Errors are emitted at the program.
mlir::FailureOr<cache::ModelDescription> describeProgram(npu::ProgramOp program, const firmware::Target &target);

/// Operands of the network, from the program's dictionaries (names in Support/ProgramAttrs.h).
llvm::LogicalResult describeOperands(npu::ProgramOp program, mlir::ArrayAttr dictionaries,
                                     std::vector<cache::Operand> &operands);

/// The buffers and the steps of the list between which they are in use.
std::vector<cache::MemoryEntry> memoryPlanOf(npu::ProgramOp program);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H
