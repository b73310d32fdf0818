//===- PreparedModel.cpp - A model that is ready to run ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PreparedModel.h"

#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "execution/BurstExecution.h"
#include "execution/ClockChoice.h"
#include "fence/FencedExecution.h"

#include <atomic>
#include <utility>

namespace avocet::hal {
namespace {

class ReusableExecution final : public IExecution, public std::enable_shared_from_this<ReusableExecution> {
public:
  ReusableExecution(std::shared_ptr<PreparedModel> model, std::shared_ptr<const BoundRequest> bound)
      : model_(std::move(model)), bound_(std::move(bound)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override;
  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override;

private:
  const std::shared_ptr<PreparedModel> model_;
  const std::shared_ptr<const BoundRequest> bound_;
  std::atomic<bool> isRunning_{false};
};

ExecutionOutcome ReusableExecution::compute(const OptionalTimePoint &deadline) {
  model_->client().awaitSettled();
  if (isRunning_.exchange(true, std::memory_order_acquire))
    return failed(invalidArgument("execution: it is running already"));
  ExecutionOutcome outcome = answered([&] {
    ExecutionOptions options = bound_->options;
    options.deadline = deadline;
    return model_->run(*bound_->view, options);
  });
  isRunning_.store(false, std::memory_order_release);
  return outcome;
}

Result<FencedLaunch> ReusableExecution::computeFenced(const std::vector<SyncFence> &waitFor,
                                                      const OptionalTimePoint &deadline,
                                                      const OptionalDuration &timeoutAfterFence) {
  model_->client().awaitSettled();
  if (isRunning_.exchange(true, std::memory_order_acquire))
    return invalidArgument("execution: it is running already");
  auto whenEnded = [self = shared_from_this()] { self->isRunning_.store(false, std::memory_order_release); };
  Result<FencedLaunch> launch = withoutExceptions([&]() -> Result<FencedLaunch> {
    AVOCET_RETURN_IF_ERROR(validate(deadline));
    AVOCET_RETURN_IF_ERROR(validate(timeoutAfterFence));
    return FencedExecution::launch({model_, bound_, waitFor, deadline, timeoutAfterFence, whenEnded});
  });
  if (!launch)
    whenEnded();
  return launch;
}

} // namespace

static uint32_t queuePriority(Priority priority) {
  switch (priority) {
  case Priority::Low:
    return 1;
  case Priority::Medium:
    return 3;
  case Priority::High:
    return 5;
  }
  return 3;
}

PreparedModel::PreparedModel(std::shared_ptr<ClientState> client, Charge charge,
                             std::shared_ptr<runtime::Context> context, std::shared_ptr<runtime::Queue> queue,
                             std::shared_ptr<Programs> programs, uint32_t clockLevel)
    : client_(std::move(client)), charge_(std::move(charge)), queue_(std::move(queue)), programs_(std::move(programs)),
      id_(client_->nextModel()), clockLevel_(clockLevel), memory_(*client_, std::move(context), *programs_),
      places_(client_->core().device()->properties().queueDepth) {}

Result<std::shared_ptr<PreparedModel>> PreparedModel::create(std::shared_ptr<ClientState> client, CompiledModel model,
                                                             std::shared_ptr<CacheFileWriter> files) {
  AVOCET_ASSIGN_OR_RETURN(Charge charge, client->preparedModels()->take(1));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Context> context,
                          toHalResult(runtime::Context::create(client->core().device(), client->owner())));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Queue> queue,
                          toHalResult(runtime::Queue::create(context, queuePriority(model.priority))));
  const uint32_t level = preferredLevel(client->core().target().power(), model.preference, model.priority);
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Programs> programs,
                          Programs::create(client, context, std::move(model), std::move(files)));
  std::shared_ptr<PreparedModel> prepared(
      new PreparedModel(client, std::move(charge), std::move(context), std::move(queue), std::move(programs), level));
  client->add(prepared->trimming_.handle());
  return prepared;
}

Result<RequestView> PreparedModel::view(const Request &request, bool allowUnspecifiedOutput) const {
  AVOCET_RETURN_IF_ERROR(client_->checkPresence());
  Result<RequestView> opened =
      RequestView::open({signature(), id_, client_->bufferTable()}, request, allowUnspecifiedOutput);
  return opened ? std::move(opened) : verboseError(VerboseTag::Execution, "request refused", opened.error());
}

Result<std::shared_ptr<const BoundRequest>> PreparedModel::bind(const Request &request,
                                                                const ExecutionOptions &options) const {
  AVOCET_RETURN_IF_ERROR(checkOptions(options));
  auto bound = std::make_shared<BoundRequest>(request, options);
  AVOCET_ASSIGN_OR_RETURN(bound->view, view(bound->request));
  return std::shared_ptr<const BoundRequest>(std::move(bound));
}

ExecutionOutcome PreparedModel::run(const RequestView &view, const ExecutionOptions &options, PinnedPools *pinned) {
  const TraceRequestScope request;
  HalSpan span(client().core().options().traceLayer, TracePhase::Execution, "execute");
  if (Outcome outcome = checkOptions(options); !outcome)
    return failed(outcome.error());
  client().awaitSettled();
  Run run(*this, view, options, pinned);
  Outcome result = run.prepare();
  return run.finish(result ? run.submitAndWait() : result);
}

ExecutionOutcome PreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  return answered([&]() -> ExecutionOutcome {
    Result<RequestView> checked = view(request);
    return checked ? run(*checked, options) : failed(checked.error());
  });
}

Result<std::shared_ptr<IExecution>> PreparedModel::createReusableExecution(const Request &request,
                                                                           const ExecutionOptions &options) {
  return withoutExceptions([&]() -> Result<std::shared_ptr<IExecution>> {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const BoundRequest> bound, bind(request, options));
    return std::shared_ptr<IExecution>(std::make_shared<ReusableExecution>(shared_from_this(), std::move(bound)));
  });
}

Result<std::shared_ptr<IBurst>> PreparedModel::configureBurst() {
  return withoutExceptions([&]() -> Result<std::shared_ptr<IBurst>> {
    return std::shared_ptr<IBurst>(std::make_shared<BurstExecution>(shared_from_this()));
  });
}

Result<FencedLaunch> PreparedModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                  const FencedOptions &options) {
  return withoutExceptions([&]() -> Result<FencedLaunch> {
    AVOCET_RETURN_IF_ERROR(validate(options.timeoutAfterFence));
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const BoundRequest> bound, bind(request, options.execution));
    return FencedExecution::launch(
        {shared_from_this(), std::move(bound), waitFor, options.execution.deadline, options.timeoutAfterFence, {}});
  });
}

ErrorStatus PreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                 ExecutionCallback callback) {
  Outcome launched = withoutExceptions([&] { return launch(request, options, callback); });
  if (!launched)
    callback(failed(launched.error()));
  return launched.code();
}

/// On success the task calls the callback, otherwise the caller does.
Outcome PreparedModel::launch(const Request &request, const ExecutionOptions &options,
                              const ExecutionCallback &callback) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const BoundRequest> bound, bind(request, options));
  auto task = [model = shared_from_this(), bound = std::move(bound), callback] {
    callback(answered([&] { return model->run(*bound->view, bound->options); }));
  };
  if (!client_->workers().post(std::move(task)))
    return error(ErrorStatus::ResourceExhaustedTransient, "too many asynchronous calls are waiting");
  return success();
}

} // namespace avocet::hal
