//===- JobWatcher.h - Ends of jobs from their fences -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_KERNEL_JOBWATCHER_H
#define AVOCET_RUNTIME_BACKENDS_KERNEL_JOBWATCHER_H

#include "DrmDevice.h"
#include "avocet/runtime/JobLog.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace avocet::runtime {

/// A job that the kernel has.
struct KernelJob {
  uint32_t context = 0; ///< the kernel's number
  uint64_t number = 0;  ///< the kernel's number in its context
  FileDescriptor fence; ///< signals when it has ended
  std::shared_ptr<JobLog> log;
};

/// Waits for fences on a thread of its own, and reports each job's outcome to its log, once.
class JobWatcher {
public:
  static Result<std::unique_ptr<JobWatcher>> create(const DrmDevice &device);
  ~JobWatcher();

  Status add(JobHandle handle, KernelJob job);

  /// A new descriptor of the fence of a job that has not been reported; invalid if there is none.
  FileDescriptor fenceOf(JobHandle handle);
  /// The kernel's context and number of such a job; 0, 0 if there is none.
  std::pair<uint32_t, uint64_t> numberOf(JobHandle handle);

  /// Reports all jobs of a context that have not been reported, those that have not ended as cancelled. On return all
  /// sinks have been called.
  void endAll(uint32_t context);

private:
  JobWatcher(const DrmDevice &device) : device_(device) {}
  void watch();
  void report(JobHandle handle);
  JobOutcome outcomeOf(const KernelJob &job) const;

  const DrmDevice &device_;
  FileDescriptor events_, stop_;
  std::mutex mutex_; ///< guards all below
  std::map<JobHandle, KernelJob> jobs_;
  std::multiset<uint32_t> reporting_; ///< contexts of the jobs that threads are reporting
  std::condition_variable reported_;
  std::thread thread_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_KERNEL_JOBWATCHER_H
