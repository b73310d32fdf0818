//===- PreparedModel.cpp - A model that is ready to run ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"

#include "Execution.h"
#include "Lift.h"
#include "avocet/hal/Tracing.h"
#include "avocet/hal/Validation.h"
#include "avocet/hal/VerboseLog.h"

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

/// withoutExceptions() for executions.
template <typename Work> ExecutionOutcome answered(Work &&work) {
  Result<ExecutionOutcome> outcome = withoutExceptions([&]() -> Result<ExecutionOutcome> { return work(); });
  return outcome ? std::move(*outcome) : failed(outcome.error());
}

Outcome checkOptions(const ExecutionOptions &options) {
  AVOCET_HAL_RETURN_IF_ERROR(validate(options.measure));
  AVOCET_HAL_RETURN_IF_ERROR(validate(options.deadline));
  AVOCET_HAL_RETURN_IF_ERROR(validate(options.loopTimeoutDuration));
  AVOCET_HAL_RETURN_IF_ERROR(validate(options.hints));
  return success();
}

/// A place in the queue that was acquired.
template <typename Places> class PlaceLease {
public:
  explicit PlaceLease(Places &places) : places_(places) {}
  ~PlaceLease() { places_.release(); }

private:
  Places &places_;
};

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
    ExecutionOutcome outcome = answered([&] { return model_->run(*bound_->view, options); });
    isRunning_.store(false, std::memory_order_release);
    return outcome;
  }

private:
  const std::shared_ptr<PreparedModel> model_;
  const std::shared_ptr<BoundRequest> bound_;
  std::atomic<bool> isRunning_{false};
};

} // namespace

PreparedModel::PreparedModel(std::shared_ptr<DeviceCore> core, std::shared_ptr<runtime::Queue> queue,
                             std::unique_ptr<Programs> programs)
    : core_(std::move(core)), queue_(std::move(queue)), programs_(std::move(programs)),
      places_(std::clamp<ptrdiff_t>(core_->device()->properties().queueDepth, 1, kMaxQueueDepth)) {}

Result<std::shared_ptr<PreparedModel>> PreparedModel::create(std::shared_ptr<DeviceCore> core, CompiledModel model) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Context> context,
                              lift(runtime::Context::create(core->device())));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Queue> queue,
                              lift(runtime::Queue::create(context, queuePriority(model.priority))));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::unique_ptr<Programs> programs,
                              Programs::create(core, std::move(context), std::move(model)));
  IdleWatch &idle = core->idle();
  std::shared_ptr<PreparedModel> prepared(new PreparedModel(std::move(core), std::move(queue), std::move(programs)));
  idle.add(prepared);
  return prepared;
}

ExecutionOutcome PreparedModel::run(const RequestView &view, const ExecutionOptions &options) {
  HalSpan span(TraceLayer::Driver, TracePhase::Execution, "execute");
  if (Outcome outcome = checkOptions(options); !outcome)
    return failed(outcome.error());
  if (hasPassed(options.deadline))
    return missed(ErrorStatus::MissedDeadlinePersistent);
  Result<std::shared_ptr<Program>> program = programs_->find(view, options.deadline);
  if (!program)
    return failed(program.error());
  if (!options.deadline)
    places_.acquire();
  else if (!places_.try_acquire_for(*options.deadline - BootClock::now()))
    return missed(ErrorStatus::MissedDeadlineTransient);
  PlaceLease lease(places_);
  ExecutionOutcome outcome = runProgram(**program, *queue_, core_->idle(), view, options);
  verbose(VerboseTag::Execution, "execution: {} {}", toString(outcome.status), outcome.message);
  return outcome;
}

ExecutionOutcome PreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  return answered([&]() -> ExecutionOutcome {
    Result<RequestView> view = RequestView::open(signature(), request);
    return view ? run(*view, options) : failed(view.error());
  });
}

Result<std::shared_ptr<IExecution>> PreparedModel::createReusableExecution(const Request &request,
                                                                           const ExecutionOptions &options) {
  return withoutExceptions([&]() -> Result<std::shared_ptr<IExecution>> {
    AVOCET_HAL_RETURN_IF_ERROR(checkOptions(options));
    AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<BoundRequest> bound, BoundRequest::bind(signature(), request, options));
    return std::shared_ptr<IExecution>(std::make_shared<ReusableExecution>(shared_from_this(), std::move(bound)));
  });
}

ErrorStatus PreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                 ExecutionCallback callback) {
  Outcome launched = withoutExceptions([&] { return launch(request, options, callback); });
  if (!launched)
    callback(failed(launched.error()));
  return launched.code();
}

/// The callback is the task's exactly if this succeeds.
Outcome PreparedModel::launch(const Request &request, const ExecutionOptions &options,
                              const ExecutionCallback &callback) {
  AVOCET_HAL_RETURN_IF_ERROR(checkOptions(options));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<BoundRequest> bound, BoundRequest::bind(signature(), request, options));
  auto task = [model = shared_from_this(), bound = std::move(bound), callback] {
    callback(answered([&] { return model->run(*bound->view, bound->options); }));
  };
  if (!core_->workers().post(std::move(task)))
    return error(ErrorStatus::ResourceExhaustedTransient, "too many asynchronous calls are waiting");
  return success();
}

} // namespace avocet::hal
