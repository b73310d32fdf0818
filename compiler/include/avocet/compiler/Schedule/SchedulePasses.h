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

#include "avocet/base/Status.h"
#include "avocet/compiler/Schedule/SearchEffort.h"
#include "avocet/compiler/Support/PassKinds.h"
#include "avocet/compiler/Support/PassTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace avocet::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

/// How the pass npu-schedule looks for better schedules. Sections are searched one after the other.
struct ScheduleSearch {
  schedule::SearchEffort effort;
  /// Cycles of a scheduled module, which is a copy that may be changed. Required above level 1.
  std::function<Result<uint64_t>(mlir::ModuleOp)> simulate;
  std::function<void(const schedule::Alternative &)> report; ///< may be empty
};

/// The passes for a target that is loaded already; their option `target` is then unused.
std::unique_ptr<mlir::Pass> createSchedulePass(TargetPtr target, ScheduleSearch search = {});
std::unique_ptr<mlir::Pass> createAllocatePass(TargetPtr target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_H
