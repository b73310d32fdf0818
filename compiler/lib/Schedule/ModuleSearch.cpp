//===- ModuleSearch.cpp - Alternatives as modules ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSearch.h"

#include "ProgramWriter.h"
#include "ScheduleRemarks.h"
#include "avocet/compiler/Support/Remarks.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace avocet::compiler::schedule {

/// The lowest level of effort whose search tries thousands of plans.
static constexpr uint32_t kManyPlans = 3;

Result<uint64_t> ModuleSearch::simulate(const Sequence &sequence) {
  OwningOpRef<ModuleOp> copy = module_.clone();
  for (auto function : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    AVOCET_RETURN_IF_ERROR(writeSection(function, function.getSymName() == current_ ? &sequence : nullptr));
  return search_.simulate(*copy);
}

void ModuleSearch::report(const Alternative &alternative) {
  if (search_.report)
    search_.report(alternative);
  if (wantsDecisions() && (alternative.isKept || alternative.simulatedCycles || search_.effort.level < kManyPlans))
    emitRemark(module_.lookupSymbol(current_)->getLoc(), alternative);
}

bool ModuleSearch::wantsDecisions() const { return wantsRemarks(module_->getContext()); }

void ModuleSearch::decided(const PlanDecisions &decisions) {
  uint32_t firstLayer = 0;
  for (auto program : module_.getOps<npu::ProgramOp>()) // the sections before this one; later ones are still functions
    firstLayer += uint32_t(program.getLayers().size());
  emitRemarks(*placed_, decisions, firstLayer);
}

/// Replaces a function by its program; without a sequence, by that of the default schedule.
Status ModuleSearch::writeSection(func::FuncOp function, const Sequence *sequence) {
  auto placed = buildProblem(function, target_);
  if (failed(placed))
    return internalError("the operations of a section cannot be read");
  if (!sequence) {
    auto [entry, isNew] = defaults_.try_emplace(function.getSymName().str());
    if (isNew) {
      auto answer = makeSchedule(placed->problem);
      if (std::holds_alternative<Misfit>(answer))
        return failedPrecondition("another section of the network does not fit on chip");
      entry->second = std::move(std::get<Sequence>(answer));
    }
    sequence = &entry->second;
  }
  writeProgram(function, *placed, *sequence);
  function.erase();
  return Status::ok();
}

} // namespace avocet::compiler::schedule
