//===- Parallel.cpp - Work on two threads ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/Parallel.h"

#include "avocet/compiler/Support/Cancel.h"

#include <atomic>
#include <system_error>
#include <thread>

namespace avocet::compiler {

void forEachInParallel(size_t count, uint32_t threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  std::thread other;
  if (threads > 1 && count > 1) {
    try {
      other = std::thread([&] {
        for (size_t i = next++; i < count; i = next++)
          work(i);
      });
    } catch (const std::system_error &) { // this thread does all
    }
  }
  for (size_t i = next++; i < count; i = next++) {
    if (isCancelled())
      next = count;
    else
      work(i);
  }
  if (other.joinable())
    other.join();
}

} // namespace avocet::compiler
