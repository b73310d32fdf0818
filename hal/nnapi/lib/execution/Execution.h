//===- Execution.h - One use of a compilation -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_EXECUTION_EXECUTION_H
#define AVOCET_HAL_NNAPI_LIB_EXECUTION_EXECUTION_H

#include "api/ApiResult.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/SyncFence.h"
#include "compilation/Compilation.h"
#include "execution/Arguments.h"
#include "execution/BoundRequest.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::nnapi {

/// ANeuralNetworksBurst. Thread-safe; runs one execution at a time.
class Burst {
public:
  static ApiResult<std::shared_ptr<Burst>> create(std::shared_ptr<const Compilation> compilation);

  const Compilation &compilation() const { return *compilation_; }
  const std::shared_ptr<hal::IBurst> &hal() const { return burst_; }

  /// False: an execution runs.
  bool tryBegin() { return !isBusy_.exchange(true); }
  void end() { isBusy_ = false; }

private:
  Burst(std::shared_ptr<const Compilation> compilation, std::shared_ptr<hal::IBurst> burst)
      : compilation_(std::move(compilation)), burst_(std::move(burst)) {}
  const std::shared_ptr<const Compilation> compilation_;
  const std::shared_ptr<hal::IBurst> burst_;
  std::atomic<bool> isBusy_{false};
};

/// ANeuralNetworksEvent. Thread-safe.
class Event {
public:
  /// Ends with complete(). `fence`: signals at the same time, if given.
  explicit Event(std::optional<hal::SyncFence> fence = {}) : fence_(std::move(fence)) {}
  /// Ends with a fence of the application.
  static ApiResult<std::shared_ptr<Event>> fromDescriptor(int fd);

  void complete(ApiOutcome outcome);
  /// Waits; the outcome of the computation.
  ApiOutcome wait();

  /// The fence of the event; empty: it has none.
  const std::optional<hal::SyncFence> &fence() const { return fence_; }
  /// A new descriptor of the fence. BAD_DATA: there is none.
  ApiResult<int> duplicateFence() const;

private:
  const std::optional<hal::SyncFence> fence_;
  bool isForeign_ = false; ///< ends with the fence itself
  std::mutex mutex_;       ///< guards the member below
  std::condition_variable completed_;
  std::optional<ApiOutcome> outcome_;
};

/// ANeuralNetworksExecution. Thread-safe: a call in the wrong state is BAD_STATE.
class Execution : public std::enable_shared_from_this<Execution> {
public:
  static ApiResult<std::shared_ptr<Execution>> create(std::shared_ptr<const Compilation> compilation);

  ApiOutcome setArgument(bool isOutput, int32_t index, const ANeuralNetworksOperandType *type, ValuePlace place);
  ApiOutcome setPadding(bool enable);
  ApiOutcome setReusable(bool reusable);
  ApiOutcome setTimeout(uint64_t nanoseconds);
  ApiOutcome setLoopTimeout(uint64_t nanoseconds);
  ApiOutcome setMeasure(bool measure);
  ApiOutcome addHint(const std::string &extension, uint16_t code, std::span<const uint8_t> value);

  ApiOutcome compute();
  ApiOutcome computeIn(Burst &burst);
  ApiResult<std::shared_ptr<Event>> start();
  /// `timeout`: nanoseconds after the last dependency has ended; 0: none.
  ApiResult<std::shared_ptr<Event>> startAfter(std::span<const std::shared_ptr<Event>> dependencies, uint64_t timeout);

  bool isComputing() const;
  ApiResult<uint64_t> duration(int32_t code) const;
  /// The shape that the last run gave an output.
  ApiResult<hal::OutputShape> outputShape(int32_t index) const;

private:
  explicit Execution(std::shared_ptr<const Compilation> compilation)
      : compilation_(std::move(compilation)), arguments_(*compilation_) {}

  /// For telemetry.
  struct RunStart {
    ANeuralNetworksDiagnosticExecutionMode mode = ANNDIAG_EXECUTION_MODE_UNKNOWN;
    DiagnosticTimer timer;
  };
  enum class State { Preparation, Computing, Completed };
  /// Alive during a run, so that an exception (only of memory that ran out) ends it.
  class RunGuard {
  public:
    explicit RunGuard(Execution &execution) : execution_(execution), before_(std::uncaught_exceptions()) {}
    ~RunGuard();
    RunGuard(const RunGuard &) = delete;

  private:
    Execution &execution_;
    const int before_;
  };
  ApiOutcome checkPreparing() const;
  ApiOutcome checkFenceable(uint64_t timeout) const;
  void settle() const;
  ApiOutcome begin(ANeuralNetworksDiagnosticExecutionMode mode);
  ApiOutcome checkReadable();
  ApiOutcome bind();
  ApiOutcome end(const hal::ExecutionOutcome &outcome, const hal::FencedTimes *times = nullptr);
  ApiOutcome abort(ApiError error);
  void report(ResultCode code, const RunStart &start, const hal::Timing &timing) const;
  bool runsInCaller() const;
  hal::ExecutionOutcome run();
  hal::ExecutionOutcome runIn(Burst &burst);
  hal::ExecutionOptions options() const;
  ApiResult<hal::FencedLaunch> launchAfter(std::span<const std::shared_ptr<Event>> dependencies, uint64_t timeout);
  std::shared_ptr<Event> follow(hal::FencedLaunch launch);
  ApiOutcome finishFenced(const hal::FencedLaunch &launch);

  const std::shared_ptr<const Compilation> compilation_;
  Arguments arguments_;
  std::unique_ptr<BoundRequest> request_;     ///< of the last run
  std::shared_ptr<hal::IExecution> reusable_; ///< null: the device has none, or none is needed
  hal::ExecutionOptions settings_;
  std::optional<hal::Duration> timeout_;
  bool isReusable_ = false;

  mutable std::mutex mutex_; ///< guards the members below; the others belong to who prepares or computes
  State state_ = State::Preparation;
  std::weak_ptr<Event> running_; ///< of the last fenced run
  RunStart start_;               ///< of the last run
  hal::ExecutionOutcome outcome_;
  std::optional<hal::FencedTimes> fencedTimes_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_EXECUTION_EXECUTION_H
