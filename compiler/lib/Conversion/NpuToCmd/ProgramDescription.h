//===- ProgramDescription.h - Tables of a scheduled program -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H
#define AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

#include <optional>

namespace avocet::compiler {

/// The model description without the streams: header, operands, regions, layers, memory plan. Requires allocated
/// programs: the one of the network, or its sections, whose layers and buffers are concatenated; `control` then
/// describes the operands. Errors are emitted at the first program.
mlir::FailureOr<cache::ModelDescription> describeNetwork(llvm::ArrayRef<npu::ProgramOp> programs,
                                                         cmd::ControlOp control, const firmware::Target &target);

/// A tensor of the network without its name; nothing: its shape is not static, or the device cannot store its type.
std::optional<cache::Operand> describeTensor(mlir::RankedTensorType type);

/// Operands of the network, from dictionaries (names in Support/ProgramAttrs.h). Errors are emitted at `op`.
llvm::LogicalResult describeOperands(mlir::Operation *op, mlir::ArrayAttr dictionaries,
                                     std::vector<cache::Operand> &operands);

/// Adds the source map of programs that record origins (Support/Origin.h): operations, and operators by layer.
void describeSources(llvm::ArrayRef<npu::ProgramOp> programs, cache::ModelDescription &model);

/// Appends each buffer with the first and last step that uses it; steps are numbered from `step` on.
void appendMemoryPlan(npu::ProgramOp program, uint32_t &step, std::vector<cache::MemoryEntry> &plan);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NPUTOCMD_PROGRAMDESCRIPTION_H
