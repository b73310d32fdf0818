//===- Queue.cpp - Where jobs are submitted ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Queue.h"

#include <fmt/core.h>

namespace avocet::runtime {

Result<std::shared_ptr<Queue>> Queue::create(std::shared_ptr<Context> context, uint32_t priority) {
  if (context == nullptr)
    return invalidArgument("queue: the context is null");
  if (priority > kMaxPriority)
    return invalidArgument(fmt::format("queue: priority {} is above {}", priority, kMaxPriority));
  return std::shared_ptr<Queue>(new Queue(std::move(context), priority));
}

Status Queue::submit(Job &job) {
  if (job.executable().context() != context_)
    return invalidArgument("submit: the job belongs to another context");
  AVOCET_RETURN_IF_ERROR(context_->device().status());
  AVOCET_ASSIGN_OR_RETURN(Submission submission, job.submission(priority_));
  AVOCET_RETURN_IF_ERROR(job.fence()->arm());
  Result<JobHandle> handle = context_->device().observe(context_->device().backend().submit(submission));
  if (handle)
    return Status::ok();
  job.fence()->signal(JobOutcome{});
  return handle.status();
}

Status Queue::run(Job &job) {
  AVOCET_RETURN_IF_ERROR(submit(job));
  job.fence()->wait();
  return statusOf(job.fence()->outcome());
}

} // namespace avocet::runtime
