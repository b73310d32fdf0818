//===- ModuleSearch.h - Alternatives as modules -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connects the search for schedules with the callbacks of ScheduleSearch: an alternative of one section becomes a
// scheduled copy of the module. Sections that come later have their default schedules in it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_MODULESEARCH_H
#define AVOCET_COMPILER_LIB_SCHEDULE_MODULESEARCH_H

#include "ProblemBuilder.h"
#include "avocet/compiler/Schedule/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace avocet::compiler::schedule {

class ModuleSearch : public SearchHost {
public:
  /// All must outlive the object.
  ModuleSearch(mlir::ModuleOp module, const TargetPtr &target, const ScheduleSearch &search)
      : module_(module), target_(target), search_(search) {}

  const SearchEffort &effort() const { return search_.effort; }

  /// The section that the next alternatives are for, not yet replaced by a program. `placed` must outlive the search
  /// for it.
  void enter(mlir::func::FuncOp function, const PlacedProblem &placed) {
    current_ = function.getSymName().str();
    placed_ = &placed;
  }

  Result<uint64_t> simulate(const Sequence &sequence) override;
  void report(const Alternative &alternative) override;
  bool wantsDecisions() const override;
  void decided(const PlanDecisions &decisions) override;

private:
  Status writeSection(mlir::func::FuncOp function, const Sequence *sequence);

  mlir::ModuleOp module_;
  const TargetPtr &target_;
  const ScheduleSearch &search_;
  std::string current_;
  const PlacedProblem *placed_ = nullptr;    ///< of the current section
  std::map<std::string, Sequence> defaults_; ///< of later sections
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_MODULESEARCH_H
