//===- Overload.h - One client beside a thousand greedy ones ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedy processes, each of another user if this program runs as root, hold many connections. On each they prepare
// a model and allocate buffers until that is refused, so that the memory of the service is exhausted. Then each process
// executes and compiles all the time, and immediately retries what is refused. One client has connected before them. It
// executes and compiles a small model, alone and then beside them, and the operator queries the totals meanwhile. The
// client stays within its share: after a piece of work it waits until each greedy process could have had one, too.
//
// The client's limit: twice its time without the others, plus its fair wait: one piece of work of each process that has
// some, at the rate at which the service does them in the same time. A preparation that is refused for want of a
// context is repeated, and its time includes that.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_SERVICE_OVERLOAD_H
#define AVOCET_TESTS_BENCH_SERVICE_OVERLOAD_H

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace avocet::hal::bench {

struct OverloadOptions {
  uint32_t connections = 1000;
  double seconds = 2; ///< from the start of the greedy work to the measurement
};

/// Prints the figures. False: the client exceeded its limit, or a query of the operator took longer than 100 ms.
bool measureOverload(const OverloadOptions &options);

/// Memory that all processes of one scenario share.
struct OverloadState {
  static constexpr uint32_t kGreedyProcesses = 50;
  static constexpr uint32_t kElements = 16;
  struct Times {
    double medianMs = 0, p99Ms = 0;
    double greedyMs = 0; ///< per piece of the same work that all greedy processes together completed meanwhile
  };
  std::atomic<uint32_t> ready{0};       ///< processes that have reached their limits
  std::atomic<uint32_t> connections{0}; ///< that greedy processes hold
  std::atomic<uint64_t> refusals{0};    ///< of requests of greedy processes
  std::atomic<bool> isEnd{false};
  std::atomic<uint64_t> executions{0}, compilations{0}; ///< of greedy processes
  std::atomic<uint32_t> clientPhase{0};                 ///< measurements of the client that have ended
  std::atomic<bool> isCrowded{false};                   ///< the client may start its second measurement
  std::atomic<uint64_t> clientRefusals{0};
  std::array<Times, 2> run, prepare; ///< of the client, alone and beside the others
};

/// Runs a process of the scenario, "greedy" or "client"; returns its exit code.
int runOverloadRole(const std::string &role, const std::string &socket, int shared, uint32_t slot);

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_SERVICE_OVERLOAD_H
