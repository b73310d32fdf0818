//===- ProcessReports.h - Files written when the process ends ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_TELEMETRY_PROCESSREPORTS_H
#define AVOCET_HAL_NNAPI_LIB_TELEMETRY_PROCESSREPORTS_H

namespace avocet::nnapi {

/// Starts the trace (knob AVOCET_TRACE) and arranges that it and the counters (AVOCET_NNAPI_COUNTERS) are written when
/// the process ends. Later calls do nothing. A forked child writes nothing.
void startProcessReports();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_TELEMETRY_PROCESSREPORTS_H
