//===- PlanStepsTest.cpp - What a cascade adds to a partial plan ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanSteps.h"
#include "Networks.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

/// Two convolutions of one input, whose results are both read later.
Network fork() {
  Network net("e256");
  const uint32_t x = net.input({16, 16, 16, firmware::DataType::Int8});
  const uint32_t a = net.conv(x, 32, 3), b = net.conv(x, 32, 1);
  net.output(net.add(net.conv(a, 32, 1), b));
  return net;
}

class PlanStepsTest : public testing::Test {
protected:
  PlanStepsTest()
      : net_(fork()), uses_(problem()), costs_(problem()),
        ways_(problem(), uses_, costs_, problem().target->sram().bytes, 0), steps_(problem(), uses_),
        range_(ways_.of(0, 2)) {}

  const Problem &problem() const { return net_.problem(); }

  /// The first way of both convolutions.
  PlanStep step(const std::vector<uint32_t> &spills) const {
    return steps_.step(range_, range_.ways.at(0), {}, spills).value();
  }

  Network net_;
  TensorUses uses_;
  TileCosts costs_;
  CascadeWays ways_;
  PlanSteps steps_;
  const CascadeRange &range_;
};

TEST_F(PlanStepsTest, SpilledResultsCrossThePortInAnyOrder) {
  const uint32_t first = uses_.writtenBy(0).at(0), second = uses_.writtenBy(1).at(0);
  const PlanStep none = step({}), one = step({first}), both = step({first, second}), reversed = step({second, first});
  const uint64_t bytes = problem().tensors[first].shape.bytes();
  EXPECT_EQ(one.load.movedBytes, none.load.movedBytes + bytes);
  EXPECT_EQ(both.load.movedBytes, none.load.movedBytes + 2 * bytes);
  EXPECT_EQ(reversed.load.movedBytes, both.load.movedBytes);
  EXPECT_EQ(reversed.neededBytes, both.neededBytes);
}

TEST_F(PlanStepsTest, RowsOfTheInputAreLoadedInTurn) {
  for (const CascadeWay &way : range_.ways) {
    const CascadeLoad load = steps_.step(range_, way, {}, {})->load;
    const uint32_t rows = way.cascade.stripeRows;
    SCOPED_TRACE(std::to_string(rows) + " rows");
    EXPECT_EQ(load.rowsAhead, way.cascade.ahead ? 2u : 1u);
    if (way.borders[0].isWhole) {
      EXPECT_EQ(load.rowLoads, 0u);
      continue;
    }
    EXPECT_GE(load.rowLoads, 16 / (rows + 2)); // the windows of the first stripe have more rows
    EXPECT_LE(load.rowLoads, 16u);
    EXPECT_EQ(load.rowBytes, problem().tensors[0].shape.bytes());
  }
}

TEST_F(PlanStepsTest, SpillsLastUntilTheirLastReader) {
  const uint32_t first = uses_.writtenBy(0).at(0), second = uses_.writtenBy(1).at(0);
  const Spills both = steps_.after({}, {second, first}, 0, 2);
  EXPECT_TRUE(both.contains(first) && both.contains(second));
  EXPECT_EQ(both.bytes(), uses_.bytesOf(first) + uses_.bytesOf(second));
  const Spills later = steps_.after(both, {}, 2, 3); // operation 2 reads the first one
  EXPECT_FALSE(later.contains(first));
  EXPECT_TRUE(later.contains(second));
  EXPECT_EQ(later, steps_.after({}, {second}, 0, 2)) << "the way to a set does not count";
}

TEST(SpillsTest, SetsAreEqualByMembers) {
  Spills a, b;
  for (uint32_t tensor : {3u, 700u, 64u})
    a.insert(tensor, 10);
  for (uint32_t tensor : {64u, 3u, 128u, 3u})
    b.insert(tensor, 10);
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_NE(a, b);
  a.erase(700, 10);
  b.erase(128, 10);
  b.erase(5, 10);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a.contains(700));
  EXPECT_EQ(b.bytes(), 20u);
}

} // namespace
} // namespace avocet::compiler::schedule
