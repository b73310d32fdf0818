//===- JobTrace.cpp - The device's commands of each execution -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/JobTrace.h"

#include "avocet/base/Trace.h"
#include "avocet/runtime/DeviceTrace.h"

#include <algorithm>

namespace avocet::hal {

void JobTrace::add(const firmware::JobProfile &profile) {
  if (profile.spans.empty() || Trace::active() == nullptr)
    return;
  std::lock_guard lock(mutex_);
  pending_.push_back(profile);
  if (pending_.size() > kMaxPending)
    pending_.pop_front();
}

void JobTrace::write(const runtime::JobOutcome &job, const cache::ModelCache &model, const firmware::Target &target) {
  std::list<firmware::JobProfile> found;
  {
    std::lock_guard lock(mutex_);
    // No two jobs of a device end in the same cycle.
    const auto place = std::ranges::find_if(pending_, [&](const firmware::JobProfile &profile) {
      return profile.record.endCycle == job.endCycle && profile.record.startCycle == job.startCycle;
    });
    if (place == pending_.end())
      return;
    found.splice(found.end(), pending_, place);
  }
  if (Trace *trace = Trace::active())
    runtime::addDeviceSpans(*trace, found.front(), model, target, job.startCycle);
}

} // namespace avocet::hal
