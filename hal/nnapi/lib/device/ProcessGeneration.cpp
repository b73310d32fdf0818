//===- ProcessGeneration.cpp - Tells a forked child from its parent -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/ProcessGeneration.h"

#include <atomic>
#include <pthread.h>

namespace avocet::nnapi {
namespace {

std::atomic<uint32_t> generation{1};

bool watchForks() {
  return pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
}

} // namespace

uint32_t processGeneration() {
  static const bool kIsWatching = watchForks();
  (void)kIsWatching;
  return generation.load(std::memory_order_relaxed);
}

} // namespace avocet::nnapi
