//===- ClientDeaths.h - Until nothing of a dead client is left  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H
#define AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H

#include "Workload.h"

namespace avocet::hal::bench {

/// Kills clients of a service in this process with SIGKILL, in the middle of each thing that a client does, and
/// measures how long the service still has something of them: counters, descriptors, threads and mapped memory of this
/// process.
std::vector<Deaths> measureClientDeaths(const DeathOptions &options);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H
