//===- ParallelWaysTest.cpp - Ways of all ranges, on threads ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "Planner.h"

#include "avocet/compiler/Support/Cancel.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

/// A chain with additions across it.
Network chain(uint32_t operations) {
  Network net("m512");
  uint32_t x = net.input({40, 40, 16, firmware::DataType::Int8});
  for (uint32_t i = 0; i < operations; ++i) {
    const uint32_t next = i % 3 == 0 ? net.depthwise(x, 3) : net.conv(x, 16, i % 3);
    x = i % 5 == 4 ? net.add(x, next) : next;
  }
  net.output(x);
  return net;
}

struct Ways {
  explicit Ways(const Problem &problem)
      : uses(problem), costs(problem), ways(problem, uses, costs, problem.target->sram().bytes, 0) {}
  TensorUses uses;
  TileCosts costs;
  CascadeWays ways;
};

void expectEqual(const Problem &problem, Ways &a, Ways &b) {
  const uint32_t count = uint32_t(problem.operations.size());
  for (uint32_t first = 0; first < count; ++first)
    for (uint32_t end = first + 1; end <= std::min(count, first + CascadeWays::kLongestCascade); ++end)
      EXPECT_EQ(a.ways.of(first, end).ways, b.ways.of(first, end).ways) << first << " to " << end;
}

void findInParallel(const Problem &problem, Ways &found) {
  findWaysInParallel(problem, found.uses, problem.target->sram().bytes, 0, found.ways, found.costs);
}

TEST(ParallelWaysTest, WaysDoNotDependOnThreads) {
  const Network net = chain(2 * CascadeWays::kLongestCascade);
  Ways parallel(net.problem()), serial(net.problem());
  findInParallel(net.problem(), parallel);
  EXPECT_GT(parallel.ways.ranges(), net.problem().operations.size());
  EXPECT_FALSE(serial.ways.of(0, 2).ways.empty());
  expectEqual(net.problem(), parallel, serial);
}

TEST(ParallelWaysTest, CancellationStopsBothThreads) {
  const Network net = chain(20 * CascadeWays::kLongestCascade);
  const size_t rangesOfAll = 20 * CascadeWays::kLongestCascade;
  Ways stopped(net.problem());
  const std::function<bool()> cancel = [] { return true; };
  const Cancellation scope(cancel);
  findInParallel(net.problem(), stopped);
  EXPECT_LT(stopped.ways.ranges(), rangesOfAll);
}

} // namespace
} // namespace avocet::compiler::schedule
