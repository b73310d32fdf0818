//===- Schedule.h - Phases schedule and allocate ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes of SchedulePasses.h and their users have in common: allocation as a function on modules, and the
// border verifications of the npu dialect.
//
// schedule: the placed func.func of a module becomes an npu.program; in a network with branches or loops, one per
// section. allocate: buffers get addresses and programs their sizes. Both are deterministic. A network that does not
// fit the target is refused with a reason (Support/Refusal.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULE_H
#define AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULE_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/PassTarget.h"
#include "avocet/compiler/Support/UnusedConstants.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// Refuses all operations that the pass npu-schedule cannot schedule, without scheduling; succeeds exactly if the pass
/// does. Requires a placed and verified module; the bytes of its constants are not read.
llvm::LogicalResult checkSchedulable(mlir::ModuleOp module, const TargetPtr &target);
llvm::LogicalResult allocateModule(mlir::ModuleOp module, const TargetPtr &target);

/// Border verifications: the contract of a module before schedule, between schedule and allocate, and after allocate.
/// Without a target (null), that which the program names.
llvm::LogicalResult verifyPlaced(mlir::ModuleOp module);
llvm::LogicalResult verifyScheduled(mlir::ModuleOp module, const TargetPtr &target);
llvm::LogicalResult verifyAllocated(mlir::ModuleOp module, const TargetPtr &target);

/// Parts of the last two, for schedules that were made here: a search allocates many. verifyBuffers() leaves out what
/// the kernels check; verifyAddresses() checks only what allocation adds.
llvm::LogicalResult verifyBuffers(mlir::ModuleOp module);
llvm::LogicalResult verifyAddresses(mlir::ModuleOp module, const TargetPtr &target);

/// By constant: how many segments of programs have bytes of it and are not written yet.
using UnreadSegments = llvm::DenseMap<ConstantEntry *, size_t>;

/// Adds the segments of an allocated program.
void countSegments(npu::ProgramOp program, UnreadSegments &unread);

/// Writes the constants of an allocated program into the constants region, which is the data cache. `bytes` grows to
/// the end of the program's constants; the constants of successive sections are adjacent. A constant in `unread` is
/// freed when its last segment has been written.
llvm::LogicalResult writeConstants(npu::ProgramOp program, std::vector<uint8_t> &bytes, UnreadSegments &unread);

} // namespace avocet::compiler

namespace avocet::compiler::schedule {

/// Copies bytes [source, source + target.size()) of a constant; fails if it has fewer bytes.
llvm::LogicalResult copyConstant(mlir::ElementsAttr data, uint64_t source, std::span<uint8_t> target);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULE_H
