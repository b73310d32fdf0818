//===- PlanRun.h - One execution of all steps -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_PLANRUN_H
#define AVOCET_HAL_PARTITION_LIB_RUN_PLANRUN_H

#include "run/StepRun.h"

namespace avocet::hal::partition {

/// One execution of all steps.
class PlanRun {
public:
  PlanRun(PreparedPlan &plan, const ExecutionOptions &options, Arena &arena, StepCaller &caller,
          const BufferTable &buffers)
      : plan_(plan), options_(options), context_{plan, options, arena, caller, buffers} {}

  /// The request is valid for the model. `identifiers`: of its pools for the caller's bursts, or empty.
  ExecutionOutcome run(const Request &request, const std::vector<int64_t> &identifiers);
  /// Whether the run failed in a way in which the whole model on one device might not.
  bool mayRepeatWhole(const ExecutionOutcome &outcome) const {
    return mayRepeat(outcome.status) ||
           (outcome.status == ErrorStatus::InvalidArgument && context_.refusedComputedValue);
  }

private:
  Frame makeFrame(uint32_t subgraph) const;
  Frame bind(const Request &request, const std::vector<int64_t> &identifiers) const;
  Outcome runSubgraph(uint32_t subgraph, Frame &frame);
  Outcome runStep(uint32_t subgraph, PreparedStep &step, Frame &frame);
  Outcome runBranch(uint32_t subgraph, const Operation &operation, Frame &frame);
  Outcome runLoop(uint32_t subgraph, const Operation &operation, Frame &frame);
  Result<bool> holds(uint32_t condition, const std::vector<Value> &state);
  Result<std::vector<Value>> call(uint32_t subgraph, const std::vector<Value> &inputs);
  Outcome finishLoop(const Operation &operation, const std::vector<Value> &state, Frame &frame) const;
  Value valueOf(uint32_t subgraph, uint32_t operand, const Frame &frame) const;
  Outcome checkDeadline() const;
  ExecutionOutcome outcomeOf(const Request &request, const Frame &frame) const;

  PreparedPlan &plan_;
  const ExecutionOptions &options_;
  RunContext context_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_PLANRUN_H
