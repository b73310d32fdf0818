//===- DeviceTrace.h - The device's commands in a trace ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_DEVICETRACE_H
#define AVOCET_RUNTIME_DEVICETRACE_H

#include "avocet/base/Trace.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::runtime {

/// Adds a span for each command of a profile, on one track per engine, in device time. The profile has spans if its job
/// ran with BackendOptions::trace. `model` is what the job ran and names the layers. `origin`: the device cycle of the
/// job's cycle 0. `shift`: microseconds added to all times.
void addDeviceSpans(Trace &trace, const firmware::JobProfile &profile, const cache::ModelCache &model,
                    const firmware::Target &target, uint64_t origin = 0, double shift = 0);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_DEVICETRACE_H
