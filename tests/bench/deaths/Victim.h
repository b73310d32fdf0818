//===- Victim.h - A client process that will be killed -------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_DEATHS_VICTIM_H
#define AVOCET_TESTS_BENCH_DEATHS_VICTIM_H

#include "Workload.h"

#include <atomic>
#include <memory>
#include <sys/types.h>

namespace avocet::hal::bench {

/// Options of a victim's command line.
struct VictimOptions {
  std::string act; ///< empty: the program is no victim
  std::string socket;
  int shared = -1; ///< memory file with a SharedState
  int fence = -1;  ///< an eventfd that never signals
  int life = -1;   ///< written end of a pipe; the kernel closes it with the process
};

/// Memory that victim and observer share.
struct SharedState {
  std::atomic<uint32_t> isReady{0}; ///< the act is under way
};

/// Names and descriptions of the acts in which a victim can be killed.
std::vector<std::pair<std::string, std::string>> victimActs();

/// Repeats the act until the process is killed. Ends the program with a message when something fails.
[[noreturn]] void playVictim(const VictimOptions &victim, const DeathOptions &options);

/// Starts this program as a victim.
pid_t startVictim(const VictimOptions &victim, const DeathOptions &options);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_DEATHS_VICTIM_H
