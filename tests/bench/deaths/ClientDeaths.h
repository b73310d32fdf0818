//===- ClientDeaths.h - Time until a dead client is released  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H
#define AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H

#include "Workload.h"

namespace avocet::hal::bench {

/// Kills clients of a service in this process with SIGKILL, in the middle of each kind of act, and measures how long
/// the service keeps resources of them: counters, descriptors, threads and mapped memory of this process.
std::vector<Deaths> measureClientDeaths(const DeathOptions &options);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_DEATHS_CLIENTDEATHS_H
