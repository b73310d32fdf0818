//===- Job.h - One prepared run of an executable ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device data that all jobs of one model share: its command streams and its constants. Made from verified artefacts.
// The constants are the data cache's own pages, imported and never copied. The streams are copied into a buffer private
// to the runtime, so that they cannot change after verification.
//
// Threads: immutable after load(); may be shared by jobs on any thread. Lifetime: jobs keep it alive; it keeps its
// context and the model cache alive.
//
// A job is an executable with its inputs and outputs bound, ready to be submitted repeatedly. It owns its scratch
// memory, so that several jobs of one executable may be queued at the same time.
//
// Legal sequence: create(), bind every input and output, then any number of times {Queue::submit(), wait for fence()}.
// Bindings may change between submissions. Binding and submitting while the fence is not signaled is
// FailedPrecondition.
//
// Threads: one job belongs to one thread at a time; its fence may be shared, and cancel() may come from any. Lifetime:
// the destructor waits until the last submission has ended. The job keeps executable and bound mappings alive.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_JOB_H
#define AVOCET_RUNTIME_JOB_H

#include "avocet/cache/DataCache.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/runtime/Context.h"
#include "avocet/runtime/Fence.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace avocet::runtime {

class Executable {
public:
  /// InvalidArgument: a null argument. FailedPrecondition: the model was compiled for another target, or the data cache
  /// has not the model's size, or both are of folders of artefacts and of different ones. ResourceExhausted: no memory
  /// or address space.
  static Result<std::shared_ptr<const Executable>>
  load(std::shared_ptr<Context> context, std::shared_ptr<const cache::ModelCache> model, const cache::DataCache &data);

  const cache::ModelCache &model() const { return *model_; }
  const std::shared_ptr<Context> &context() const { return context_; }

  /// For jobs: addresses of the streams, the control program and the constants. constants() is null for a model without
  /// constants.
  std::span<const StreamBinding> streams() const { return streams_; }
  const ControlBinding &control() const { return control_; }
  const std::shared_ptr<BufferMapping> &constants() const { return constants_; }

private:
  Executable(std::shared_ptr<Context> context, std::shared_ptr<const cache::ModelCache> model)
      : context_(std::move(context)), model_(std::move(model)) {}
  Status loadStreams();
  Status loadConstants(const cache::DataCache &data);

  std::shared_ptr<Context> context_;
  std::shared_ptr<const cache::ModelCache> model_;
  std::shared_ptr<BufferMapping> code_;
  std::shared_ptr<BufferMapping> constants_;
  std::vector<StreamBinding> streams_;
  ControlBinding control_;
};

class Job {
public:
  /// Allocates the scratch memory. InvalidArgument for null; ResourceExhausted.
  static Result<std::unique_ptr<Job>> create(std::shared_ptr<const Executable> executable);
  ~Job();
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  /// Binds input or output n to bytes [offset, offset + operand bytes) of a mapping of the executable's context with
  /// read (input) or write (output) access. InvalidArgument names the operand and the rule, and the old binding stays.
  Status bindInput(size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset = 0);
  Status bindOutput(size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset = 0);

  /// Longest run of one loop of the network in nanoseconds of device time, clamped to firmware::kMaxLoopTimeoutNs; 0:
  /// firmware::kDefaultLoopTimeoutNs. Expiry ends the job with FaultCode::LoopTimeout.
  void setLoopTimeout(uint64_t nanoseconds) {
    loopTimeoutNs_ = std::min<uint64_t>(nanoseconds, firmware::kMaxLoopTimeoutNs);
  }

  /// Ends the current submission, from any thread: at once if it is queued, at its next yield point if it runs. It ends
  /// with FaultCode::Cancelled. No effect if it has ended; does not wait. If another thread may submit the job again
  /// meanwhile, keep Fence::submitted() of the submission to cancel, and call Device::cancel().
  Status cancel();

  /// Returned in the profile of the job.
  void setUserData(uint64_t userData) { userData_ = userData; }

  /// Signals at the end of each submission. May outlive the job.
  const std::shared_ptr<Fence> &fence() const { return fence_; }

  const Executable &executable() const { return *executable_; }

  /// For the queue: the submission for the back end. FailedPrecondition names the operand that is not bound.
  Result<Submission> submission(uint32_t priority) const;

private:
  explicit Job(std::shared_ptr<const Executable> executable);
  Status bindScratch();
  Status bind(cache::RegionKind kind, size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset);
  Status checkBinding(const BufferMapping &mapping, uint64_t offset, uint64_t bytes, Access access) const;

  std::shared_ptr<const Executable> executable_;
  std::vector<RegionBinding> regions_;                   ///< by region of the model
  std::vector<std::shared_ptr<BufferMapping>> mappings_; ///< by region; null: not bound
  size_t unbound_ = 0;
  uint64_t loopTimeoutNs_ = 0;
  uint64_t userData_ = 0;
  std::shared_ptr<Fence> fence_ = std::make_shared<Fence>();
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_JOB_H
