//===- FeasibilityTest.cpp - Whether networks fit into SRAM -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeWays.h"
#include "Networks.h"

#include "Schedule/Core/Feasibility.h"

#include "Isolation.h"
#include "Schedule/Core/Sequence.h"

#include "gtest/gtest.h"

#include <string>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

/// A chain of `layers` softmax operations on one line of `elements` bytes.
Network softmaxChain(uint32_t elements, int layers) {
  Network net("e256s");
  uint32_t x = net.input({1, 1, elements, DataType::Int8});
  for (int i = 0; i < layers; ++i)
    x = net.softmax(x);
  net.output(x);
  return net;
}

bool fitsByOperation(const Problem &problem) {
  for (uint32_t i = 0; i < problem.operations.size(); ++i)
    if (misfitAlone(problem, i))
      return false;
  return true;
}

TEST(FeasibilityTest, NetworkFitsIfAndOnlyIfOperationsFit) {
  for (uint32_t elements : {1000u, 90000u, 120000u, 150000u, 180000u, 184000u, 185000u, 300000u})
    for (int layers : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(layers) + " layers of " + std::to_string(elements));
      const Network net = softmaxChain(elements, layers);
      const auto answer = makeSchedule(net.problem());
      EXPECT_EQ(std::holds_alternative<Sequence>(answer), fitsByOperation(net.problem()));
      if (const auto *sequence = std::get_if<Sequence>(&answer))
        EXPECT_TRUE(sequence->verify(net.problem()).isOk()) << sequence->verify(net.problem()).toString();
    }
}

TEST(FeasibilityTest, LinesOfAnyLengthFitInChain) {
  EXPECT_TRUE(fitsByOperation(softmaxChain(180000, 5).problem()));
  EXPECT_TRUE(fitsByOperation(softmaxChain(300000, 1).problem()));
}

TEST(FeasibilityTest, StateIsForLinesThatDoNotFit) {
  EXPECT_TRUE(Isolation(softmaxChain(180000, 1).problem(), 0).fitsWithoutState());
  EXPECT_FALSE(Isolation(softmaxChain(300000, 1).problem(), 0).fitsWithoutState());
}

TEST(FeasibilityTest, MisfitNamesOperationAndMemory) {
  Network net("e256s");
  uint32_t x = net.input({64, 1, 1024, DataType::Int8});
  net.output(net.fullyConnected(net.add(x, x), 16)); // weights: 64 KiB for each channel
  EXPECT_FALSE(misfitAlone(net.problem(), 0));
  const auto misfit = misfitAlone(net.problem(), 1);
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->operation, 1u);
  EXPECT_GE(misfit->needed, 8u * 64u * 1024u);
  EXPECT_EQ(misfit->limit, cascadeBudget(*net.problem().target));
}

/// A schedule of a network of one operation, with the results of layer-by-layer execution.
void expectSchedule(const Network &net) {
  EXPECT_FALSE(misfitAlone(net.problem(), 0));
  const auto answer = makeSchedule(net.problem());
  ASSERT_TRUE(std::holds_alternative<Sequence>(answer)) << "needs " << std::get<Misfit>(answer).needed;
  const Sequence &sequence = std::get<Sequence>(answer);
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(FeasibilityTest, SingleRowsFitWhereTwoDoNot) {
  Network net("e256s");
  net.output(
      net.requantize(net.input({64, 50, 1000, DataType::Int8}))); // two copies of a row for each operand: 195 KiB
  expectSchedule(net);
}

TEST(FeasibilityTest, SingleGranulesFitWhereTwoDoNot) {
  Network one(targetWith("e256", "sram.bytes", "64K"));
  one.output(one.fullyConnected(one.input({1, 1, 4000, DataType::Int8}), 24)); // 31 KiB for each of three granules
  expectSchedule(one);
  Network rows(targetWith("e256", "sram.bytes", "24K"));
  rows.output(rows.conv(rows.input({6, 4, 100, DataType::Int8}), 24, 3)); // 7 KiB for each granule, two at a time
  expectSchedule(rows);
}

/// One operation of any kind and shape.
void addAnyOperation(Network &net, std::mt19937 &random) {
  const auto below = [&](uint32_t limit) { return 1 + uint32_t(random() % limit); };
  const uint32_t height = random() % 3 ? below(40) : 1, width = below(24), channels = below(160);
  const uint32_t x = net.input({height, width, channels, DataType::Int8}), kernel = 1 + 2 * (random() % 2);
  switch (random() % 7) {
  case 0:
    return net.output(net.fullyConnected(x, below(70)));
  case 1:
    return net.output(net.depthwise(x, kernel, below(2)));
  case 2:
    return net.output(net.add(x, x));
  case 3:
    return net.output(net.requantize(x));
  case 4:
    return net.output(net.maxPool(x, kernel, below(2)));
  default:
    return net.output(net.conv(x, below(100), kernel, below(2)));
  }
}

TEST(FeasibilityTest, RefusedOperationsNeedMoreThanTheLimit) {
  std::mt19937 random(5);
  std::map<bool, int> count; // by whether it fits
  for (int i = 0; i < 240; ++i) {
    const char *base = i % 2 ? "e256" : "m512";
    const std::string bytes = std::to_string(4 << random() % 4) + "K";
    SCOPED_TRACE("operation " + std::to_string(i) + " on " + base + " with " + bytes);
    Network net(targetWith(base, "sram.bytes", bytes));
    addAnyOperation(net, random);
    const TensorUses uses(net.problem());
    TileCosts costs(net.problem());
    const uint64_t budget = cascadeBudget(*net.problem().target);
    const auto misfit = misfitAlone(net.problem(), 0);
    ++count[!misfit];
    if (!misfit) {
      expectSchedule(net);
      continue;
    }
    EXPECT_GT(CascadeWays(net.problem(), uses, costs, budget, 0).leastBytes(0), budget);
    EXPECT_GT(misfit->needed, misfit->limit);
    const auto answer =
        makeSchedule(net.problem()); // may use the memory above the limit, if the buffers find places there
    if (const Misfit *refusal = std::get_if<Misfit>(&answer)) {
      EXPECT_EQ(std::pair(refusal->needed, refusal->limit), std::pair(misfit->needed, misfit->limit));
    } else {
      EXPECT_LE(misfit->needed, net.problem().target->sram().bytes);
    }
  }
  EXPECT_GT(count[true], 100);
  EXPECT_GT(count[false], 20);
}

} // namespace
} // namespace avocet::compiler::schedule
