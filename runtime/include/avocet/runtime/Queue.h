//===- Queue.h - Where jobs are submitted -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue submits the jobs of one context with one priority. Jobs of a context end in the order of submission.
//
// Threads: submit() may be called from any thread; one job must not be submitted or bound by two threads at the same
// time. The hot path allocates nothing, holds no lock of the runtime, and makes no system call of its own.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_QUEUE_H
#define AVOCET_RUNTIME_QUEUE_H

#include "avocet/runtime/Job.h"

#include <memory>

namespace avocet::runtime {

class Queue {
public:
  static constexpr uint32_t kMaxPriority = firmware::kMaxPriority;

  /// InvalidArgument for a null context or a priority above kMaxPriority.
  static Result<std::shared_ptr<Queue>> create(std::shared_ptr<Context> context, uint32_t priority = 0);

  /// Hands the job to the device; its fence signals when it has ended. FailedPrecondition: something is not bound, or
  /// the job's last submission has not ended. InvalidArgument: the job belongs to another context. ResourceExhausted:
  /// the queue is full; wait for any fence and try again. DeviceLost. On an error nothing was submitted and the fence
  /// is signalled.
  Status submit(Job &job);

  /// submit() and wait for the end: Ok, or the job's fault.
  Status run(Job &job);

private:
  Queue(std::shared_ptr<Context> context, uint32_t priority) : context_(std::move(context)), priority_(priority) {}

  std::shared_ptr<Context> context_;
  uint32_t priority_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_QUEUE_H
