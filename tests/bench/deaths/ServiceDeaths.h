//===- ServiceDeaths.h - Time until calls report a dead service  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_DEATHS_SERVICEDEATHS_H
#define AVOCET_TESTS_BENCH_DEATHS_SERVICEDEATHS_H

#include "Workload.h"

namespace avocet::hal::bench {

/// Kills avocetd with SIGKILL while this process is in calls of each kind, and measures how long each takes to return
/// DEAD_OBJECT. Any other result ends the program.
std::vector<Deaths> measureServiceDeaths(const DeathOptions &options);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_DEATHS_SERVICEDEATHS_H
