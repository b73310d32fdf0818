//===- PlannedModel.cpp - A model in several steps ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PlannedModel.h"

#include "avocet/hal/types/Utils.h"
#include "model/HostExecution.h"
#include "model/PlannedBurst.h"

#include "avocet/hal/types/VerboseLog.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace avocet::hal::partition {

/// The step's own input or output for an operand; empty if it has none.
static std::optional<uint32_t> positionIn(const std::vector<uint32_t> &operands, uint32_t operand) {
  const auto place = std::ranges::find(operands, operand);
  return place != operands.end() ? std::optional(static_cast<uint32_t>(place - operands.begin())) : std::nullopt;
}

Result<ResolvedRole> PlannedModel::resolve(const BufferRole &role, bool isInput) const {
  const std::vector<uint32_t> &list = isInput ? source().main.inputIndexes : source().main.outputIndexes;
  const char *what = isInput ? "input" : "output";
  if (role.ioIndex >= list.size())
    return invalidArgument(fmt::format("role of {} {}, but the model has {}", what, role.ioIndex, list.size()));
  std::optional<ResolvedRole> found;
  size_t users = 0;
  for (const PreparedStep &step : plan_->subgraphs[0]) {
    const auto input = positionIn(step.plan.inputs, list[role.ioIndex]);
    const auto output = positionIn(step.plan.outputs, list[role.ioIndex]);
    if (!input && !output)
      continue;
    users += step.prepared != nullptr ? 1 : 2; // the host cannot read a buffer
    found = ResolvedRole{step.plan.device,
                         {step.prepared, isInput ? input.value_or(0) : output.value_or(0), role.probability}};
  }
  if (users != 1)
    return generalFailure(fmt::format("{} {} of a model in several steps is used by {}, so that no buffer of a device "
                                      "can hold it; use shared memory",
                                      what, role.ioIndex, users == 0 ? "no step" : "several steps or by the host"));
  return *found;
}

Outcome PlannedModel::checkBuffers(const std::vector<RequestArgument> &arguments, const Request &request,
                                   bool isInput) const {
  for (uint32_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].hasNoValue &&
        std::holds_alternative<BufferToken>(request.pools[arguments[i].location.poolIndex])) {
      auto role = resolve({nullptr, i, 1}, isInput);
      if (!role)
        return invalidArgument(role.error().message);
    }
  return success();
}

/// Each device numbers its own buffers, so that buffers of two devices may have the same token.
Request PlannedModel::withDistinctTokens(const Request &request) const {
  Request result = request;
  std::map<std::pair<const IDevice *, BufferToken>, uint32_t> pools;
  auto replace = [&](std::vector<RequestArgument> &arguments, bool isInput) {
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      uint32_t &index = arguments[i].location.poolIndex;
      if (arguments[i].hasNoValue || index >= request.pools.size())
        continue;
      const auto *token = std::get_if<BufferToken>(&request.pools[index]);
      const auto role = resolve({nullptr, i, 1}, isInput);
      if (token == nullptr || *token == BufferToken() || !role)
        continue;
      auto [place, isNew] = pools.try_emplace({role->device.get(), *token}, result.pools.size());
      if (isNew)
        result.pools.emplace_back(static_cast<BufferToken>(~static_cast<uint32_t>(pools.size())));
      index = place->second;
    }
  };
  replace(result.inputs, true);
  replace(result.outputs, false);
  return result;
}

Outcome PlannedModel::checkCall(const Request &request, const ExecutionOptions &options) const {
  AVOCET_RETURN_IF_ERROR(check(request, options));
  AVOCET_RETURN_IF_ERROR(checkBuffers(request.inputs, request, true));
  return checkBuffers(request.outputs, request, false);
}

ExecutionOutcome PlannedModel::run(const Request &request, const ExecutionOptions &options, Arena &arena,
                                   StepCaller &caller, const std::vector<int64_t> &identifiers) {
  PlanRun planRun(*plan_, options, arena, caller);
  ExecutionOutcome outcome = planRun.run(request, identifiers);
  if (!planRun.mayRepeatWhole(outcome) || usesBuffer(request) || !plan_->whole->isPossible())
    return outcome;
  auto whole = plan_->whole->get();
  if (!whole)
    return outcome;
  verbose(VerboseTag::CpuExe, "execution of all steps goes to the CPU: {}: {}", toString(outcome.status),
          outcome.message);
  ExecutionOutcome repeated = (*whole)->execute(request, options);
  if (repeated.isOk() || !mayRepeat(repeated.status))
    return repeated;
  outcome.message += "; the whole model on the CPU: " + repeated.message;
  return outcome;
}

ExecutionOutcome PlannedModel::execute(const Request &request, const ExecutionOptions &options) {
  if (Outcome checked = checkCall(request, options); !checked)
    return failed(checked.error());
  std::unique_ptr<Arena> arena = arenas_.take();
  StepCaller caller;
  ExecutionOutcome outcome = run(request, options, *arena, caller, {});
  arenas_.giveBack(std::move(arena));
  return outcome;
}

Result<std::shared_ptr<IExecution>> PlannedModel::createReusableExecution(const Request &request,
                                                                          const ExecutionOptions &options) {
  ExecutionOptions checkedOptions = options;
  checkedOptions.deadline.reset(); // each run has its own
  AVOCET_RETURN_IF_ERROR(checkCall(request, checkedOptions));
  auto self = std::static_pointer_cast<PlannedModel>(shared_from_this());
  std::shared_ptr<Arena> arena = makeArena();
  auto run = [self = self.get(), request, arena](const ExecutionOptions &left) {
    StepCaller caller;
    return self->run(request, left, *arena, caller, {});
  };
  const bool outputsAreKnown = check(request, checkedOptions, false).isOk();
  return std::shared_ptr<IExecution>(
      std::make_shared<HostExecution>(self, checkedOptions, outputsAreKnown, std::move(run)));
}

Result<std::shared_ptr<IBurst>> PlannedModel::configureBurst() {
  auto self = std::static_pointer_cast<PlannedModel>(shared_from_this());
  return std::shared_ptr<IBurst>(std::make_shared<PlannedBurst>(std::move(self)));
}

} // namespace avocet::hal::partition
