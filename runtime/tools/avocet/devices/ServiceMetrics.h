//===- ServiceMetrics.h - Totals of a service for Prometheus ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVICEMETRICS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVICEMETRICS_H

#include "avocet/hal/wire/ServiceTotals.h"

#include <string>

namespace avocet::tool {

/// In Prometheus' text format (version 0.0.4), in seconds and bytes. Counters ("_total") start at 0 with the service,
/// those of execution times with its first query of totals.
std::string metricsText(const hal::ServiceTotals &totals);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVICEMETRICS_H
