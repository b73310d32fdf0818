//===- BurstController.cpp - The client's end of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/burst/BurstController.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/VerboseLog.h"

#include "BurstLink.h"
#include "ClientSlots.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/core.h>
#include <new>

namespace avocet::hal {
namespace {

using RequestQueue = MessageQueue<FmqRequestDatum>;
using ResultQueue = MessageQueue<FmqResultDatum>;

ExecutionOutcome failed(const Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

Error dead() { return error(ErrorStatus::DeadObject, "burst: the service has closed the connection"); }

bool canCarry(const ExecutionOptions &options) {
  return !options.deadline && !options.loopTimeoutDuration && options.hints.empty() &&
         options.extensionNameToPrefix.empty() &&
         (options.measure == MeasureTiming::No || options.measure == MeasureTiming::Yes);
}

bool canCarry(const RequestPool &pool) {
  const auto *memory = std::get_if<SharedMemory>(&pool);
  return memory != nullptr && canTravel(*memory);
}

/// Packets do not carry padding, since the driver may leave it unused. A request with invalid padding runs through the
/// model instead, which refuses it.
bool hasGoodPadding(const RequestArgument &argument, const std::vector<RequestPool> &pools) {
  const DataLocation &location = argument.location;
  if (location.padding == 0)
    return true;
  if (argument.hasNoValue || location.poolIndex >= pools.size())
    return false;
  uint64_t size = sizeOf(*std::get<SharedMemory>(pools[location.poolIndex]));
  std::optional<uint64_t> end = checkedAdd(location.offset, location.length);
  return end && *end <= size && location.padding <= size - *end;
}

/// Whether the form of 1.2 can express the whole request.
bool canCarry(const Request &request) {
  auto isGood = [&](const RequestArgument &argument) { return hasGoodPadding(argument, request.pools); };
  return std::ranges::all_of(request.pools, [](const RequestPool &pool) { return canCarry(pool); }) &&
         fitsRequestPacket(request) && std::ranges::all_of(request.inputs, isGood) &&
         std::ranges::all_of(request.outputs, isGood);
}

/// Checks that a result fits this request.
Outcome checkResult(const ExecutionOutcome &outcome, const Request &request) {
  bool hasShapes = outcome.isOk() || outcome.status == ErrorStatus::OutputInsufficientSize;
  if (!hasShapes)
    return success();
  if (outcome.outputShapes.size() != request.outputs.size())
    return generalFailure(fmt::format("burst: a result with {} outputs, must be {}", outcome.outputShapes.size(),
                                      request.outputs.size()));
  for (size_t i = 0; i < request.outputs.size(); ++i)
    if (!combineDimensions(request.outputs[i].dimensions, outcome.outputShapes[i].dimensions))
      return generalFailure(fmt::format("burst: the result's dimensions of output {} are not the request's", i));
  return success();
}

/// Clears the flag when an execution ends, on every path.
class RunningFlag {
public:
  explicit RunningFlag(std::atomic<bool> &flag) : flag_(flag) {}
  ~RunningFlag() { flag_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> &flag_;
};

} // namespace

class BurstController::Impl {
public:
  Impl(std::shared_ptr<IPreparedModel> model, std::unique_ptr<RequestQueue> requests,
       std::unique_ptr<ResultQueue> results, SlotReleaser release, const BurstClientOptions &options)
      : model_(std::move(model)), requests_(std::move(requests)), results_(std::move(results)),
        release_(std::move(release)), options_(options), slots_(kMaxBurstSlots) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &identifiers,
                           const ExecutionOptions &options) {
    if (isRunning_.exchange(true, std::memory_order_acquire))
      return failed(generalFailure("burst: an execution is running already"));
    RunningFlag running(isRunning_);
    if (isClosed_.load(std::memory_order_acquire))
      return failed(dead());
    if (Outcome outcome = validateMemoryIdentifiers(request, identifiers); !outcome)
      return failed(outcome.error());
    if (!canCarry(options) || !canCarry(request))
      return model_->execute(request, options);
    Outcome slots = slots_.begin(request.pools, identifiers, runSlots_, runReleased_);
    if (Outcome outcome = giveBack(runReleased_); !outcome)
      return failed(outcome.error());
    if (!slots)
      return slots.code() == ErrorStatus::InvalidArgument ? failed(slots.error()) : model_->execute(request, options);
    ExecutionOutcome outcome = executeWithSlots(request, options);
    slots_.finish(runSlots_, runReleased_);
    (void)giveBack(runReleased_); // the outcome stays; the next call detects a dead peer
    return outcome;
  }

  Outcome release(int64_t identifier) {
    AVOCET_RETURN_IF_ERROR(validateMemoryIdentifier(identifier));
    if (isClosed_.load(std::memory_order_acquire))
      return dead();
    std::vector<int32_t> released;
    slots_.release(identifier, released);
    return giveBack(released);
  }

  void close() {
    isClosed_.store(true, std::memory_order_release);
    requests_->close();
    results_->close();
  }

  const RequestQueue &requests() const { return *requests_; }
  const ResultQueue &results() const { return *results_; }
  const ClientSlots &slots() const { return slots_; }
  uint64_t numExecutions() const { return numExecutions_.load(std::memory_order_relaxed); }

private:
  ExecutionOutcome executeWithSlots(const Request &request, const ExecutionOptions &options) {
    HalSpan span(TraceLayer::Ipc, TracePhase::Execution, "client burst");
    writeRequestPacket(request, runSlots_, options.measure, packet_);
    if (packet_.size() > requests_->capacity())
      return model_->execute(request, options);
    Result<ExecutionOutcome> outcome = exchange();
    if (!outcome)
      return failed(outcome.error());
    if (Outcome checked = checkResult(*outcome, request); !checked)
      return failed(stop(checked.error()));
    return std::move(*outcome);
  }

  /// An element that does not belong to this request means that the two sides are out of step.
  Result<ExecutionOutcome> exchange() {
    if (results_->availableToRead() != 0)
      return stop(generalFailure("burst: found a result in the queue before the request was sent"));
    if (requests_->write(packet_, options_.answerTimeout) != QueueState::Ready)
      return stop(dead());
    result_.resize(1);
    if (!awaitResult())
      return stop(dead());
    result_.resize(1 + results_->availableToRead());
    if (!results_->tryRead(std::span(result_).subspan(1)))
      return stop(dead());
    numExecutions_.fetch_add(1, std::memory_order_relaxed);
    Result<ExecutionOutcome> outcome = readResultPacket(result_);
    return outcome ? std::move(outcome) : stop(outcome.error());
  }

  /// Reads the first element. False: the peer is dead, or has broken the queue.
  bool awaitResult() {
    const bool asks = options_.isPeerAlive && options_.questionInterval < options_.answerTimeout;
    const Duration interval = asks ? options_.questionInterval : options_.answerTimeout;
    Duration window = options_.pollingWindow;
    for (Duration left = options_.answerTimeout; left > Duration::zero(); left -= interval) {
      const QueueState state = results_->read(result_, std::min(left, interval), window);
      if (state != QueueState::TimedOut)
        return state == QueueState::Ready;
      if (asks && !options_.isPeerAlive())
        return false;
      window = Duration::zero(); // an answer that is so late is not polled for
    }
    return false;
  }

  /// No further results of this peer are accepted.
  Error stop(Error error) {
    close();
    return error;
  }

  Outcome giveBack(std::span<const int32_t> slots) {
    for (int32_t slot : slots) {
      if (Outcome outcome = release_(slot); !outcome)
        return stop(outcome.error());
      slots_.recycle(slot);
    }
    return success();
  }

  const std::shared_ptr<IPreparedModel> model_;
  const std::unique_ptr<RequestQueue> requests_;
  const std::unique_ptr<ResultQueue> results_;
  const SlotReleaser release_;
  const BurstClientOptions options_;
  ClientSlots slots_;
  std::atomic<bool> isRunning_{false};
  std::atomic<bool> isClosed_{false};
  std::atomic<uint64_t> numExecutions_{0};
  // Of the running execution; members, so that their memory is reused.
  std::vector<int32_t> runSlots_, runReleased_;
  std::vector<FmqRequestDatum> packet_;
  std::vector<FmqResultDatum> result_;
};

BurstController::BurstController(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BurstController::~BurstController() = default;

Result<std::shared_ptr<BurstController>> BurstController::create(std::shared_ptr<IPreparedModel> model,
                                                                 SlotReleaser release,
                                                                 const BurstClientOptions &options) {
  if (model == nullptr || release == nullptr)
    return invalidArgument("burst: the model or the callback for free slots is null");
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<RequestQueue> requests, RequestQueue::create(options.queueElements));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ResultQueue> results, ResultQueue::create(options.queueElements));
  return std::shared_ptr<BurstController>(new BurstController(
      std::make_unique<Impl>(std::move(model), std::move(requests), std::move(results), std::move(release), options)));
}

const QueueDescriptor &BurstController::requests() const { return impl_->requests().descriptor(); }
const QueueDescriptor &BurstController::results() const { return impl_->results().descriptor(); }
uint64_t BurstController::numExecutions() const { return impl_->numExecutions(); }
void BurstController::close() { impl_->close(); }

ExecutionOutcome BurstController::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                          const ExecutionOptions &options) {
  try {
    return impl_->execute(request, memoryIdentifiers, options);
  } catch (const std::bad_alloc &) {
    return failed(error(ErrorStatus::ResourceExhaustedTransient, "burst: no memory is left"));
  } catch (const std::exception &exception) {
    return failed(generalFailure(exception.what()));
  }
}

Outcome BurstController::releaseMemoryResource(int64_t identifier) { return impl_->release(identifier); }

Result<std::vector<SharedMemory>> BurstController::memories(std::span<const int32_t> slots) const {
  return impl_->slots().memories(slots);
}

} // namespace avocet::hal
