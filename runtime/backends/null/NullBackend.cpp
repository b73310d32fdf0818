//===- NullBackend.cpp - A back end without a device ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NullBackend.h"

#include "avocet/firmware_iface/Version.h"
#include "avocet/runtime/Backend.h"
#include "avocet/runtime/MemoryBackend.h"

#include <fmt/core.h>

namespace avocet::runtime {
namespace {

constexpr uint32_t kQueueDepth = 64;

class NullBackend final : public MemoryBackend {
public:
  explicit NullBackend(const BackendOptions &options)
      : MemoryBackend(kQueueDepth),
        properties_{"null", options.target, firmware::kEncodingVersion, kQueueDepth, false, false} {}

  const DeviceProperties &properties() const override { return properties_; }

  Result<JobHandle> submit(const Submission &submission) override {
    AVOCET_RETURN_IF_ERROR(checkSubmission(submission, properties_));
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<JobLog> jobs, logOf(submission.context));
    // They have completed: all jobs of this back end do.
    for (const JobReference &dependency : submission.dependencies)
      AVOCET_RETURN_IF_ERROR(requireJob(dependency.context, dependency.job));
    AVOCET_ASSIGN_OR_RETURN(JobHandle job, jobs->begin(submission.sink));
    JobOutcome outcome;
    outcome.state = firmware::JobState::Complete;
    jobs->end(job, outcome);
    return job;
  }

  Status cancel(ContextHandle context, JobHandle job) override { return requireJob(context, job); }
  void drive(ContextHandle, JobHandle) override {}
  Status reset() override { return Status::ok(); }

private:
  // Jobs end inside submit() and nothing reads the mappings: the hooks have nothing to do.
  Status contextCreated(ContextHandle, uint32_t, std::shared_ptr<JobLog>) override { return Status::ok(); }
  Status drainContext(ContextHandle) override { return Status::ok(); }
  void contextDestroyed(ContextHandle) override {}
  Status mapped(ContextHandle, uint64_t, std::span<uint8_t>, Access) override { return Status::ok(); }
  void unmapped(ContextHandle, uint64_t) override {}

  Status requireJob(ContextHandle context, JobHandle job) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<JobLog> jobs, logOf(context));
    return jobs->stateOf(job).status();
  }

  DeviceProperties properties_;
};

} // namespace

Result<std::unique_ptr<Backend>> openNullBackend(const BackendOptions &options, std::string_view argument) {
  if (!argument.empty())
    return invalidArgument(fmt::format("back end null takes no argument, found '{}'", argument));
  return std::unique_ptr<Backend>(new NullBackend(options));
}

} // namespace avocet::runtime
