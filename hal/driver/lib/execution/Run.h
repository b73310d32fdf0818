//===- Run.h - One execution of a request, step by step ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind of execution has the same steps and differs in which thread waits for which step:
//
//   prepare()   all work before the device: the program for the request's facts, a place in the queue, a job,
//               and memory for its inputs and outputs
//   submit()    submits the job to the device; wait() or the job's fence reports its end
//   finish()    the results of the run: outputs, states of buffers, times, and the outcome
//
// A synchronous execution does all of it on one thread; a fenced one prepares and submits in the call, and finishes
// when the fence signals, on another thread. Bindings are kept: the next run of the same view gets the same job and
// binds nothing again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_RUN_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_RUN_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/runtime/Queue.h"
#include "client/Quota.h"
#include "device/HalResult.h"
#include "execution/ClockChoice.h"
#include "execution/Deadline.h"
#include "execution/RequestView.h"
#include "memory/Bindings.h"
#include "model/Program.h"

#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <utility>
#include <vector>

namespace avocet::hal {

class PreparedModel;

/// The rules of execution options by themselves.
Outcome checkOptions(const ExecutionOptions &options);

/// An outcome with only the error.
ExecutionOutcome failed(const Error &error);

/// withoutExceptions() for executions.
template <typename Work> ExecutionOutcome answered(Work &&work);

/// The places of one context's job queue on the device.
class QueuePlaces {
public:
  static constexpr ptrdiff_t kMaxDepth = 1024;
  explicit QueuePlaces(uint32_t depth);

  /// A place, released by the destructor.
  class Lease {
  public:
    explicit Lease(QueuePlaces &places) : places_(&places) {}
    Lease(Lease &&other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
    Lease &operator=(Lease &&) = delete;
    ~Lease() {
      if (places_ != nullptr)
        places_->free_.release();
    }

  private:
    QueuePlaces *places_;
  };

  /// MissedDeadlineTransient: no place became free in time. Without `mayWait`: ResourceExhaustedTransient at once if
  /// none is free.
  Result<Lease> take(bool mayWait, const CallLimit &limit);

private:
  std::counting_semaphore<kMaxDepth> free_;
};

/// One thread at a time. Model and view must outlive it.
class Run {
public:
  /// `view` was made for this model. `options` were checked by checkOptions().
  /// `pinned`: see Bindings.
  Run(PreparedModel &model, const RequestView &view, const ExecutionOptions &options, PinnedPools *pinned = nullptr);
  /// Abandons a submitted run that was not finished: its job ends by itself and keeps its memory until then.
  ~Run();
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  struct Conditions {
    bool mayWait = true; ///< for a place in the queue; else ResourceExhaustedTransient
    /// Inputs may be driver buffers that a run in flight writes; that run must end before this one starts.
    bool inputsMayBePending = false;
  };

  /// Success: submit() may follow. OutputInsufficientSize is an error here too. The deadline of the options bounds the
  /// call.
  Outcome prepare(const Conditions &conditions);
  Outcome prepare() { return prepare(Conditions()); }

  /// When the job starts, and where its end is reported: see runtime::SubmitOptions.
  struct Order {
    std::span<runtime::Fence *const> after;
    std::span<const int> syncFiles;
    FileDescriptor *endFile = nullptr;
  };

  /// Requires a successful prepare() and complete inputs; only jobs of `order` may still write inputs, and only if none
  /// is copied. The time left until the deadline becomes the job's limit, counted by the device's own clock.
  Outcome submit(const Order &order);
  Outcome submit() { return submit(Order()); }

  /// Waits for the end of the job: success, or the reason of its failure. MissedDeadlineTransient: the deadline passed
  /// first and the job was cancelled. The end of the client also cancels the job.
  Outcome wait();

  /// submit() and wait(); without a deadline the job may run on this thread.
  Outcome submitAndWait();

  /// The result of the job, whose fence must have signaled.
  Outcome result() const;

  /// The outcome of a run whose last step ended with `result`; success only after the end of the job. Afterwards only
  /// the destructor may be called.
  ExecutionOutcome finish(const Outcome &result);

  /// The job, between prepare() and finish().
  runtime::Job &job() const { return slot_->job(); }
  const Program &program() const { return *program_; }
  const ExecutionOptions &options() const { return options_; }

  /// Between prepare() and finish(): whether submit() copies inputs and finish() outputs. Otherwise the device reads
  /// them when the job starts, and the outputs are complete when it ends.
  bool copiesInputs() const { return bindings_.copiesInputs(); }
  bool copiesOutputs() const { return bindings_.copiesOutputs(); }

  /// An earlier deadline than the options have. Before submit().
  void tighten(TimePoint deadline) { options_.deadline = earlier(options_.deadline, deadline); }

  /// Time on the device and since `start`, after the end of the job; empty where not measured.
  /// Nothing: the device does not count cycles.
  OptionalDuration timeOnDevice() const;
  Timing timing(TimePoint start) const;
  /// Of a run that is measured: when this object was made.
  TimePoint start() const { return *start_; }

private:
  Outcome resolveOutputs();
  Outcome checkSufficient() const;
  Outcome bind(bool inputsMayBePending);
  Outcome readInputs();
  Outcome settle(const Outcome &result);
  Outcome resolveRows();
  bool holds(size_t output, uint64_t bytes) const;
  Outcome predict() const;
  ExpectedWork expectedWork() const;
  void setLoopTimeout();
  Result<runtime::SubmitOptions> submitOptions(const Order &order) const;
  /// The commands of the job that ended, if they are traced.
  bool isTraced() const;
  void noteSubmission();
  void traceJob();
  void logEnd(const ExecutionOutcome &outcome) const;
  void giveBack();

  PreparedModel &model_;
  const RequestView &view_;
  ExecutionOptions options_;
  const OptionalTimePoint start_; ///< empty: not measured; reading the clock would cost each short execution time
  OptionalTimePoint submitted_;   ///< just before the submission of the job; empty: not traced

  std::shared_ptr<Program> program_;
  std::vector<OutputShape> shapes_;
  Charge charge_; ///< of the client's executions
  std::optional<QueuePlaces::Lease> place_;
  std::unique_ptr<JobSlot> slot_;
  Bindings bindings_;
};

template <typename Work> ExecutionOutcome answered(Work &&work) {
  Result<ExecutionOutcome> outcome = withoutExceptions([&]() -> Result<ExecutionOutcome> { return work(); });
  return outcome ? std::move(*outcome) : failed(outcome.error());
}

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_RUN_H
