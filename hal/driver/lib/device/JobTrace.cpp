//===- JobTrace.cpp - The device's commands of each execution -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/JobTrace.h"

#include "avocet/base/Trace.h"
#include "avocet/base/TraceRequest.h"
#include "avocet/runtime/DeviceTrace.h"

#include <algorithm>

namespace avocet::hal {

static TraceEvent jobSpan(const runtime::JobOutcome &job, const firmware::Target &target, double shift) {
  const double start = target.nanoseconds(job.startCycle) / 1e3, end = target.nanoseconds(job.endCycle) / 1e3;
  TraceEvent event{TraceClock::Device, "0 jobs", "job", start + shift, end - start, {}};
  event.arguments = {{"start_cycle", std::to_string(job.startCycle)},
                     {"cycles", std::to_string(job.endCycle - job.startCycle)}};
  if (const TraceRequest request = currentTraceRequest(); request != 0)
    event.arguments.emplace_back(kTraceRequestKey, traceRequestName(request));
  return event;
}

void JobTrace::add(const firmware::JobProfile &profile) {
  if (profile.spans.empty() || Trace::active() == nullptr)
    return;
  std::lock_guard lock(mutex_);
  pending_.push_back(profile);
  if (pending_.size() > kMaxPending)
    pending_.pop_front();
}

void JobTrace::write(const runtime::JobOutcome &job, const cache::ModelCache &model, const firmware::Target &target,
                     double submitted) {
  std::list<firmware::JobProfile> found;
  double shift = 0;
  {
    std::lock_guard lock(mutex_);
    // No two jobs of a device end in the same cycle.
    const auto place = std::ranges::find_if(pending_, [&](const firmware::JobProfile &profile) {
      return profile.record.endCycle == job.endCycle && profile.record.startCycle == job.startCycle;
    });
    if (place == pending_.end())
      return;
    found.splice(found.end(), pending_, place);
    shift = shift_ = std::max(shift_, submitted - target.nanoseconds(job.startCycle) / 1e3);
  }
  if (Trace *trace = Trace::active()) {
    trace->add(jobSpan(job, target, shift));
    runtime::addDeviceSpans(*trace, found.front(), model, target, job.startCycle, shift);
  }
}

} // namespace avocet::hal
