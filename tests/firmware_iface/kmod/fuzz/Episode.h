//===- Episode.h - One process that makes random calls ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_EPISODE_H
#define AVOCET_TESTS_KMOD_FUZZ_EPISODE_H

#include "World.h"

namespace avocet::fuzz {

/// Command streams that every target accepts.
Programs encodePrograms();

/// Runs in a process of its own: opens the device, makes calls that `seed` determines, and ends the process, in some
/// episodes without closing anything. Some episodes have a second thread, a timer whose signal interrupts calls, or the
/// rights of an ordinary user.
[[noreturn]] void runEpisode(const char *node, const Programs &programs, Counters &counters, bool failsAllocations,
                             uint64_t seed);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_EPISODE_H
