//===- PlannedModel.cpp - A model in several steps --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PlannedModel.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "model/HostModel.h"
#include "model/Tasks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace avocet::hal::partition {
namespace {

/// A reusable execution on top of a function that runs its request.
class HostExecution final : public IExecution, public std::enable_shared_from_this<HostExecution> {
public:
  using Run = std::function<ExecutionOutcome(const ExecutionOptions &)>;
  /// `outputsAreKnown`: whether fenced runs are allowed.
  HostExecution(std::shared_ptr<HostModel> model, ExecutionOptions options, bool outputsAreKnown, Run run)
      : model_(std::move(model)), options_(std::move(options)), outputsAreKnown_(outputsAreKnown),
        run_(std::move(run)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override;
  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override;

private:
  Outcome checkedOptions(const OptionalTimePoint &deadline, ExecutionOptions &options) const;

  const std::shared_ptr<HostModel> model_;
  const ExecutionOptions options_;
  const bool outputsAreKnown_;
  const Run run_;
  std::atomic<bool> isRunning_ = false;
};

/// Marks an object as free at the end of a run.
class Turn {
public:
  explicit Turn(std::atomic<bool> &flag) : flag_(flag) {}
  ~Turn() { flag_ = false; }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  std::atomic<bool> &flag_;
};

Error busy() { return invalidArgument("the reusable execution runs already; it allows one run at a time"); }

Outcome HostExecution::checkedOptions(const OptionalTimePoint &deadline, ExecutionOptions &options) const {
  options = options_;
  options.deadline = deadline;
  return HostModel::checkOptions(options);
}

ExecutionOutcome HostExecution::compute(const OptionalTimePoint &deadline) {
  ExecutionOptions options;
  if (Outcome checked = checkedOptions(deadline, options); !checked)
    return failed(checked.error());
  if (isRunning_.exchange(true))
    return failed(busy());
  const Turn turn(isRunning_);
  return run_(options);
}

Result<FencedLaunch> HostExecution::computeFenced(const std::vector<SyncFence> &waitFor,
                                                  const OptionalTimePoint &deadline,
                                                  const OptionalDuration &timeoutAfterFence) {
  FencedOptions options;
  AVOCET_RETURN_IF_ERROR(checkedOptions(deadline, options.execution));
  options.timeoutAfterFence = timeoutAfterFence;
  if (!outputsAreKnown_)
    return invalidArgument("a fenced run needs outputs of known sizes");
  if (isRunning_.exchange(true))
    return busy();
  // Ends the run when the task drops it, or when it could not be launched.
  auto turn = std::make_shared<Turn>(isRunning_);
  return launchFenced(model_->tasks(), waitFor, options,
                      [self = shared_from_this(), turn](const ExecutionOptions &left) { return self->run_(left); });
}

/// A burst for each step, and memory between the steps that all runs share. Identifiers of the caller become even ones
/// for the steps; odd ones are those of the memory between the steps.
class PlannedBurst final : public IBurst {
public:
  explicit PlannedBurst(std::shared_ptr<PlannedModel> model) : model_(std::move(model)), arena_(model_->makeArena()) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

private:
  int64_t ownIdentifier(int64_t identifier);

  const std::shared_ptr<PlannedModel> model_;
  const std::unique_ptr<Arena> arena_;
  std::mutex mutex_; ///< guards the members below; held during a run
  BurstCaller caller_;
  std::map<int64_t, int64_t> identifiers_; ///< of the caller, to those for the steps
  int64_t next_ = 0;
};

int64_t PlannedBurst::ownIdentifier(int64_t identifier) {
  if (identifier < 0)
    return -1;
  auto [place, isNew] = identifiers_.try_emplace(identifier, next_);
  if (isNew)
    next_ += 2;
  return place->second;
}

ExecutionOutcome PlannedBurst::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                       const ExecutionOptions &options) {
  if (Outcome checked = validateMemoryIdentifiers(request, memoryIdentifiers); !checked)
    return failed(checked.error());
  if (Outcome checked = model_->checkCall(request, options); !checked)
    return failed(checked.error());
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return failed(generalFailure("burst: another execution of the burst runs"));
  std::vector<int64_t> identifiers;
  for (int64_t identifier : memoryIdentifiers)
    identifiers.push_back(ownIdentifier(identifier));
  return model_->run(request, options, *arena_, caller_, identifiers);
}

Outcome PlannedBurst::releaseMemoryResource(int64_t identifier) {
  AVOCET_RETURN_IF_ERROR(validateMemoryIdentifier(identifier));
  std::scoped_lock lock(mutex_);
  if (auto own = identifiers_.extract(identifier))
    caller_.release(own.mapped());
  return success();
}

} // namespace

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
  PlanRun planRun(*plan_, options, arena, caller, buffers());
  ExecutionOutcome outcome = planRun.run(request, identifiers);
  if (!planRun.mayRepeatWhole(outcome) || !plan_->whole->isPossible())
    return outcome;
  auto whole = plan_->whole->get();
  if (!whole)
    return outcome;
  verbose(VerboseTag::CpuExe, "execution of all steps goes to the CPU: {}: {}", toString(outcome.status),
          outcome.message);
  ExecutionOutcome repeated = executeWithCopies(**whole, source(), request, options, bufferFinder(), outcome.status);
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
