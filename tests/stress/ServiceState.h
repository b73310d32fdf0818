//===- ServiceState.h - Resources of a service process -------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_SERVICESTATE_H
#define AVOCET_TESTS_STRESS_SERVICESTATE_H

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

namespace avocet::stress {

/// Figures by name: "descriptors", "threads", "resident KiB", "mapped memory files" from /proc, and "service: ..." for
/// the service's own counters.
using ServiceState = std::map<std::string, uint64_t>;

/// Reads /proc; empty when the process is gone.
ServiceState readProcess(pid_t pid);

/// Makes the service log its counters (SIGUSR1) and reads them from its log; empty if it does not answer.
ServiceState readCounters(pid_t pid, const std::string &log);

/// Waits until no figure changes, half a minute at most, and reads all figures.
ServiceState settle(pid_t pid, const std::string &log);

/// Allowed growth of one figure.
uint64_t allowance(const std::string &figure, uint64_t before);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_SERVICESTATE_H
