//===- JobTrace.h - The device's commands of each execution -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_JOBTRACE_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_JOBTRACE_H

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/runtime/Backend.h"

#include <list>
#include <mutex>

namespace avocet::hal {

/// Brings the profiles of jobs, which the back end has, together with their models, which executions have: the spans of
/// a job go to the active trace when its execution ends. Thread-safe.
class JobTrace {
public:
  /// Profiles of jobs whose executions have not ended. The oldest is dropped: an execution that was cancelled ends
  /// before its job, and never asks for its profile.
  static constexpr size_t kMaxPending = 64;

  /// On a thread of the back end, before the job's end is reported.
  void add(const firmware::JobProfile &profile);

  /// Adds the spans of the job with this outcome to the active trace: the job as a whole, which belongs to the request
  /// of the thread, and its commands. Times are those of the device, moved so that no job begins before the host's time
  /// of its submission, in microseconds of the trace. The shift only grows, so that jobs keep their order.
  void write(const runtime::JobOutcome &job, const cache::ModelCache &model, const firmware::Target &target,
             double submitted);

private:
  std::mutex mutex_;
  std::list<firmware::JobProfile> pending_; ///< the oldest first
  double shift_ = 0;                        ///< microseconds from the device's time to the trace's
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_JOBTRACE_H
