//===- DeviceTrace.h - The device's commands in a trace ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEVICETRACE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEVICETRACE_H

#include "Session.h"
#include "avocet/base/Trace.h"

namespace avocet::tool {

/// Adds a span for each command of a profile, on one track per engine, in device time.
void addDeviceSpans(Trace &trace, const firmware::JobProfile &profile, const LoadedModel &model);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEVICETRACE_H
