//===- PreparedModel.cpp - A model that is ready to run ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"

#include "Execution.h"
#include "Lift.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace avocet::hal {
namespace {

uint32_t queuePriority(Priority priority) {
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

ExecutionOutcome missed(ErrorStatus status) { return failed(error(status, "the deadline has passed")); }

/// A request that was checked, and whatever it needs to run later.
struct BoundRequest {
  Request request;
  ExecutionOptions options;
  std::optional<RequestView> view; ///< refers to `request`

  static Result<std::shared_ptr<BoundRequest>> bind(const Signature &signature, const Request &request,
                                                    const ExecutionOptions &options) {
    auto bound = std::make_shared<BoundRequest>(request, options);
    AVOCET_HAL_ASSIGN_OR_RETURN(bound->view, RequestView::open(signature, bound->request));
    return bound;
  }
};

class ReusableExecution final : public IExecution {
public:
  ReusableExecution(std::shared_ptr<PreparedModel> model, std::shared_ptr<BoundRequest> bound)
      : model_(std::move(model)), bound_(std::move(bound)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    if (isRunning_.exchange(true, std::memory_order_acquire))
      return failed(invalidArgument("execution: it is running already"));
    ExecutionOptions options = bound_->options;
    options.deadline = deadline;
    ExecutionOutcome outcome = model_->run(*bound_->view, options);
    isRunning_.store(false, std::memory_order_release);
    return outcome;
  }

private:
  const std::shared_ptr<PreparedModel> model_;
  const std::shared_ptr<BoundRequest> bound_;
  std::atomic<bool> isRunning_{false};
};

} // namespace

PreparedModel::PreparedModel(std::shared_ptr<DeviceCore> core, std::shared_ptr<runtime::Context> context,
                             std::shared_ptr<runtime::Queue> queue, Signature signature)
    : core_(core), queue_(std::move(queue)), programs_(core, std::move(context), std::move(signature)),
      places_(std::clamp<ptrdiff_t>(core->device()->properties().queueDepth, 1, kMaxQueueDepth)) {}

Result<std::shared_ptr<PreparedModel>> PreparedModel::compile(std::shared_ptr<DeviceCore> core, const Model &model,
                                                              const PrepareOptions &options) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Context> context,
                              lift(runtime::Context::create(core->device())));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Queue> queue,
                              lift(runtime::Queue::create(context, queuePriority(options.priority))));
  std::shared_ptr<PreparedModel> prepared(
      new PreparedModel(std::move(core), std::move(context), std::move(queue), signatureOf(model)));
  AVOCET_HAL_RETURN_IF_ERROR(prepared->programs_.prepare(model, options.deadline));
  return prepared;
}

ExecutionOutcome PreparedModel::run(const RequestView &view, const ExecutionOptions &options) {
  if (hasPassed(options.deadline))
    return missed(ErrorStatus::MissedDeadlinePersistent);
  Result<std::shared_ptr<Program>> program = programs_.find(view, options.deadline);
  if (!program)
    return failed(program.error());
  if (!options.deadline)
    places_.acquire();
  else if (!places_.try_acquire_for(*options.deadline - BootClock::now()))
    return missed(ErrorStatus::MissedDeadlineTransient);
  ExecutionOutcome outcome = runProgram(**program, *queue_, view, options);
  places_.release();
  return outcome;
}

ExecutionOutcome PreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  Result<RequestView> view = RequestView::open(signature(), request);
  return view ? run(*view, options) : failed(view.error());
}

Result<std::shared_ptr<IExecution>> PreparedModel::createReusableExecution(const Request &request,
                                                                           const ExecutionOptions &options) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<BoundRequest> bound, BoundRequest::bind(signature(), request, options));
  return std::shared_ptr<IExecution>(std::make_shared<ReusableExecution>(shared_from_this(), std::move(bound)));
}

ErrorStatus PreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                 ExecutionCallback callback) {
  Result<std::shared_ptr<BoundRequest>> bound = BoundRequest::bind(signature(), request, options);
  if (!bound) {
    callback(failed(bound.error()));
    return bound.code();
  }
  auto task = [model = shared_from_this(), bound = *bound, callback] {
    callback(model->run(*bound->view, bound->options));
  };
  if (core_->workers().post(std::move(task)))
    return ErrorStatus::None;
  Error busy = error(ErrorStatus::ResourceExhaustedTransient, "too many asynchronous calls are waiting");
  callback(failed(busy));
  return busy.code;
}

} // namespace avocet::hal
