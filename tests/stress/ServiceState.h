//===- ServiceState.h - What a service process has ------------ -*- C++ -*-===//
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

/// Figures by name: "descriptors", "threads", "resident KiB", "mapped memory files" from /proc, and "service: ..." what
/// the service itself counts.
using ServiceState = std::map<std::string, uint64_t>;

/// What /proc says; empty when the process is gone.
ServiceState readProcess(pid_t pid);

/// Asks the service for its own figures (SIGUSR1) and reads them from its log; empty if it does not answer.
ServiceState readCounters(pid_t pid, const std::string &log);

/// Waits until nothing changes any more, half a minute at most, and reads all of it.
ServiceState settle(pid_t pid, const std::string &log);

/// How much more one figure may be afterwards than before.
uint64_t allowance(const std::string &figure, uint64_t before);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_SERVICESTATE_H
