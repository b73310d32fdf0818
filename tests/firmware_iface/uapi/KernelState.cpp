//===- KernelState.cpp - What the kernel holds for the driver -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelState.h"

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace avocet::uapi {

namespace {

/// The number after `key` at the start of a line; 0 if there is none.
uint64_t numberAfter(const std::string &path, const std::string &key) {
  std::ifstream file(path);
  for (std::string line, word; std::getline(file, line);) {
    uint64_t number = 0;
    if (std::istringstream words(line); words >> word >> number && word == key)
      return number;
  }
  return 0;
}

/// The kernel adds the counters of its processors first.
void refreshCounters() { std::ofstream("/proc/sys/vm/stat_refresh") << 1; }

} // namespace

KernelState KernelState::read() {
  constexpr const char *kCounters = "/proc/vmstat";
  refreshCounters();
  KernelState state;
  state.dmaBufs = numberAfter("/sys/kernel/debug/dma_buf/bufinfo", "Total");
  state.pinnedPages = numberAfter(kCounters, "nr_foll_pin_acquired") - numberAfter(kCounters, "nr_foll_pin_released");
  state.sharedPages = numberAfter(kCounters, "nr_shmem");
  state.fences = numberAfter("/proc/slabinfo", "drm_sched_fence");
  return state;
}

KernelState KernelState::readUntil(const KernelState &expected) {
  KernelState state = read();
  for (int i = 0; i < 1000 && state != expected; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    state = read();
  }
  return state;
}

KernelState KernelState::readIdle() {
  KernelState state = read();
  for (int i = 0; i < 1000 && state != KernelState{.sharedPages = state.sharedPages}; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    state = read();
  }
  return state;
}

void PrintTo(const KernelState &state, std::ostream *out) {
  *out << state.dmaBufs << " dma-bufs, " << state.pinnedPages << " pinned pages, " << state.sharedPages
       << " shared pages, " << state.fences << " fences";
}

} // namespace avocet::uapi
