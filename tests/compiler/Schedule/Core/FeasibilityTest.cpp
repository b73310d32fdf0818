//===- FeasibilityTest.cpp - Whether networks fit into SRAM -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "avocet/compiler/Schedule/Core/Feasibility.h"
#include "avocet/compiler/Schedule/Core/Sequence.h"

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
  EXPECT_TRUE(fitsWithoutState(softmaxChain(180000, 1).problem(), 0));
  EXPECT_FALSE(fitsWithoutState(softmaxChain(300000, 1).problem(), 0));
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
  EXPECT_EQ(misfit->limit, 384u * 1024);
}

} // namespace
} // namespace avocet::compiler::schedule
