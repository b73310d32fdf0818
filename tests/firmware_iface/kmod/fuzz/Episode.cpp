//===- Episode.cpp - One process that makes random calls ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Episode.h"

#include "../../../runtime/CopyProgram.h"
#include "Calls.h"
#include "avocet/firmware_iface/Control.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

namespace avocet::fuzz {

namespace {

void store(Programs &programs, Programs::Kind kind, const std::vector<uint32_t> &words) {
  constexpr uint32_t kMost = Programs::kSpacing / sizeof(uint32_t);
  programs.length[kind] = std::min<uint32_t>(kMost, static_cast<uint32_t>(words.size()));
  std::copy_n(words.begin(), programs.length[kind], programs.words.begin() + kind * kMost);
}

/// Runs section 0 until the job's time for a loop, its watchdog or its cancellation ends it.
std::vector<uint32_t> endlessLoop() {
  using namespace firmware;
  const std::vector<ControlInstruction> program = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, RunInstruction{0},
                                                   JumpInstruction{1}, EndInstruction{}};
  return encodeControl(program);
}

/// The out-of-memory killer ends episodes, not the fuzzer.
void preferAsVictim() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

void interruptCallsFromNowOn() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr); // without SA_RESTART
  constexpr itimerval kEvery{{0, 3000}, {0, 3000}};
  ::setitimer(ITIMER_REAL, &kEvery, nullptr);
}

} // namespace

Programs encodePrograms() {
  Programs programs;
  store(programs, Programs::Copy, runtime::test::copyProgram(64));
  store(programs, Programs::Hang, runtime::test::hangingProgram());
  std::vector<uint32_t> garbage;
  for (Random random(1); garbage.size() < 32;)
    garbage.push_back(static_cast<uint32_t>(random.next()));
  store(programs, Programs::Garbage, garbage);
  store(programs, Programs::Loop, endlessLoop());
  return programs;
}

void runEpisode(const char *node, const Programs &programs, Counters &counters, bool failsAllocations, uint64_t seed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  preferAsVictim();
  Random random(seed);
  World world(programs, counters, node);
  const int file = ::open(node, O_RDWR | O_CLOEXEC);
  if (file < 0)
    ::_exit(0);
  world.files.add(static_cast<uint64_t>(file));
  if (!random.oneIn(8))
    prepareWorld(world, random);
  world.failsAllocations = failsAllocations;
  if (random.oneIn(8))
    (void)!::setresuid(65534, 65534, 65534); // the device stays open
  if (random.oneIn(4))
    interruptCallsFromNowOn();
  const uint32_t count = 50 + random.below(300);
  if (random.oneIn(2)) {
    std::thread other([&world, own = Random(random.next()), count]() mutable { makeCalls(world, own, count); });
    makeCalls(world, random, count);
    if (random.oneIn(2))
      ::_exit(0); // the other thread may be in a call
    other.join();
  } else {
    makeCalls(world, random, count);
  }
  ::_exit(0);
}

} // namespace avocet::fuzz
