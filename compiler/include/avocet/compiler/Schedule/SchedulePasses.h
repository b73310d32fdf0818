//===- SchedulePasses.h - Passes on the npu dialect -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the passes in SchedulePasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_H
#define AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_H

#include "avocet/compiler/Schedule/Schedule.h"

#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

/// The passes for a target that is loaded already; their option `target` is then unused.
std::unique_ptr<mlir::Pass> createSchedulePass(TargetPtr target, ScheduleSearch search = {});
std::unique_ptr<mlir::Pass> createAllocatePass(TargetPtr target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_H
