//===- PlannedModel.h - A model in several steps ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDMODEL_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDMODEL_H

#include "model/HostModel.h"
#include "prepare/PreparedPlan.h"
#include "run/PlanRun.h"

#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal::partition {

/// A model in several steps.
class PlannedModel final : public HostModel {
public:
  explicit PlannedModel(std::shared_ptr<PreparedPlan> plan)
      : HostModel(plan->model), plan_(std::move(plan)), arenas_(plan_->temporaryBytes) {}

  ~PlannedModel() override { tasks().wait(); }
  PlannedModel(const PlannedModel &) = delete;
  PlannedModel &operator=(const PlannedModel &) = delete;

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;
  Result<ResolvedRole> resolve(const BufferRole &role, bool isInput) const override;

  /// For executions and bursts, which keep their memory: runs a request that is valid.
  ExecutionOutcome run(const Request &request, const ExecutionOptions &options, Arena &arena, StepCaller &caller,
                       const std::vector<int64_t> &identifiers);
  Outcome checkCall(const Request &request, const ExecutionOptions &options) const;
  std::unique_ptr<Arena> makeArena() const { return std::make_unique<Arena>(plan_->temporaryBytes); }

protected:
  Request withDistinctTokens(const Request &request) const override;

private:
  Outcome checkBuffers(const std::vector<RequestArgument> &arguments, const Request &request, bool isInput) const;

  const std::shared_ptr<PreparedPlan> plan_;
  ArenaPool arenas_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDMODEL_H
