//===- Variant.h - One of several alternating measurements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_BURST_VARIANT_H
#define AVOCET_TESTS_BENCH_BURST_VARIANT_H

#include "avocet/base/StandardStreams.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace avocet::hal::bench {

/// One way of a round trip. `once` ends the program when it fails.
struct Variant {
  std::string name;
  std::function<void()> once;
  std::vector<double> roundMedians = {}; ///< microseconds, one for each round
  pid_t peer = 0;                        ///< the other process; 0: none
};

[[noreturn]] inline void fail(const std::string &what) {
  printErr("burstBench: {}\n", what);
  std::exit(1);
}

template <typename R> auto need(R result) {
  if (result.isOk())
    return std::move(*result);
  if constexpr (requires { result.status(); })
    fail(result.status().toString());
  else
    fail(result.error().message);
}

/// Two processes that wake each other on words of shared memory, and over a pair of sockets. Forks: call them before
/// any thread starts. The other processes end with this one.
Variant futexPingPong();
Variant socketPingPong();

/// The tiny model's job in this process, without a HAL: the device's own time.
Variant deviceAlone(const std::string &target);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_BURST_VARIANT_H
