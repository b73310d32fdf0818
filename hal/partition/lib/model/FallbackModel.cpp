//===- FallbackModel.cpp - A model that the CPU can repeat ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/FallbackModel.h"

#include "model/Tasks.h"

namespace avocet::hal::partition {
namespace {

class FallbackExecution final : public IExecution {
public:
  FallbackExecution(std::shared_ptr<FallbackModel> model, std::shared_ptr<IExecution> execution, Request request,
                    ExecutionOptions options)
      : model_(std::move(model)), execution_(std::move(execution)), request_(std::move(request)),
        options_(std::move(options)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    return model_->orOnCpu(execution_->compute(deadline), request_, with(deadline));
  }

  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override {
    auto launch = execution_->computeFenced(waitFor, deadline, timeoutAfterFence);
    if (launch)
      model_->noteWritten(request_);
    if (launch || !mayRepeat(launch.code()))
      return launch;
    return model_->fencedOnCpu(request_, waitFor, {with(deadline), timeoutAfterFence}, launch.code());
  }

private:
  ExecutionOptions with(const OptionalTimePoint &deadline) const {
    ExecutionOptions options = options_;
    options.deadline = deadline;
    return options;
  }

  const std::shared_ptr<FallbackModel> model_;
  const std::shared_ptr<IExecution> execution_;
  const Request request_;
  const ExecutionOptions options_;
};

class FallbackBurst final : public IBurst {
public:
  FallbackBurst(std::shared_ptr<FallbackModel> model, std::shared_ptr<IBurst> burst)
      : model_(std::move(model)), burst_(std::move(burst)) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override {
    return model_->orOnCpu(burst_->execute(request, memoryIdentifiers, options), request, options);
  }
  Outcome releaseMemoryResource(int64_t identifier) override { return burst_->releaseMemoryResource(identifier); }

private:
  const std::shared_ptr<FallbackModel> model_;
  const std::shared_ptr<IBurst> burst_;
};

} // namespace

void FallbackModel::noteWritten(const Request &request) const {
  if (usesBuffer(request))
    forgetKept(request, bufferFinder());
}

ExecutionOutcome FallbackModel::orOnCpu(ExecutionOutcome outcome, const Request &request,
                                        const ExecutionOptions &options) {
  if (outcome.isOk())
    noteWritten(request);
  if (!mayRepeat(outcome.status))
    return outcome;
  auto copy = cpu_->get();
  if (!copy)
    return outcome;
  logFallback("execution", *device_, {outcome.status, outcome.message});
  ExecutionOutcome repeated = executeWithCopies(**copy, source(), request, options, bufferFinder(), outcome.status);
  if (!mayRepeat(repeated.status))
    return repeated;
  outcome.message += "; on the CPU: " + repeated.message;
  return outcome;
}

ExecutionOutcome FallbackModel::execute(const Request &request, const ExecutionOptions &options) {
  return orOnCpu(prepared_->execute(request, options), request, options);
}

Result<std::shared_ptr<IExecution>> FallbackModel::createReusableExecution(const Request &request,
                                                                           const ExecutionOptions &options) {
  auto execution = prepared_->createReusableExecution(request, options);
  if (!execution && mayRepeat(execution.code()) && !usesBuffer(request)) // each run copies buffers anew
    if (auto copy = cpu_->get()) {
      logFallback("reusable execution", *device_, execution.error());
      return (*copy)->createReusableExecution(request, options);
    }
  if (!execution)
    return execution;
  auto self = std::static_pointer_cast<FallbackModel>(shared_from_this());
  return std::shared_ptr<IExecution>(std::make_shared<FallbackExecution>(self, *execution, request, options));
}

Result<FencedLaunch> FallbackModel::fencedOnCpu(const Request &request, const std::vector<SyncFence> &waitFor,
                                                const FencedOptions &options, ErrorStatus failure) {
  AVOCET_RETURN_IF_ERROR(check(request, options.execution, false));
  auto copy = cpu_->get();
  if (!copy)
    return copy.error();
  return launchFenced(tasks(), waitFor, options,
                      [self = shared_from_this(), copy = *copy, request, failure](const ExecutionOptions &left) {
                        return executeWithCopies(*copy, self->source(), request, left, self->bufferFinder(), failure);
                      });
}

Result<FencedLaunch> FallbackModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                  const FencedOptions &options) {
  auto launch = prepared_->executeFenced(request, waitFor, options);
  if (launch)
    noteWritten(request);
  if (launch || !mayRepeat(launch.code()))
    return launch;
  logFallback("fenced execution", *device_, launch.error());
  return fencedOnCpu(request, waitFor, options, launch.code());
}

Result<std::shared_ptr<IBurst>> FallbackModel::configureBurst() {
  auto burst = prepared_->configureBurst();
  if (!burst)
    return burst;
  auto self = std::static_pointer_cast<FallbackModel>(shared_from_this());
  return std::shared_ptr<IBurst>(std::make_shared<FallbackBurst>(self, *burst));
}

Result<ResolvedRole> FallbackModel::resolve(const BufferRole &role, bool) const {
  return ResolvedRole{device_, {prepared_, role.ioIndex, role.probability}};
}

} // namespace avocet::hal::partition
