//===- RowFlowTest.cpp - Rows that cascades keep --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFlow.h"
#include "Networks.h"
#include "TensorUses.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

/// Rows that a 1 x 1 convolution keeps of its result, with rows of so many bytes, two rows at a time.
uint32_t storedRing(const char *target, uint32_t rowBytes) {
  Network net(target);
  const uint32_t input = net.input({256, rowBytes / 16, 16, firmware::DataType::Int8});
  const uint32_t result = net.conv(input, 16, 1);
  net.output(result);
  const Problem &problem = net.problem();
  const Plan plan = layerByLayer(problem);
  const RowFlow flow = flowCascade(problem, TensorUses(problem), plan, {0, 1, 2}, true);
  return flow.maps.at(flow.mapOf(problem, problem.operations[0].outputs[0])).ringRows;
}

TEST(RowFlowTest, RingsOfStoresCoverTheirLatency) {
  // p4096 moves 32 bytes in a cycle and has a latency of 150: 38 rows of 128 bytes.
  EXPECT_EQ(storedRing("p4096", 128), 2u + 38u);
  EXPECT_EQ(storedRing("p4096", 4096), 2u + 2u) << "a stripe is longer";
  EXPECT_EQ(storedRing("e256", 128), 2u + 2u) << "64 bytes in the latency";
}

/// One set of weights is in SRAM, and the next one that a cascade loads.
TEST(RowFlowTest, SetsOfWeightsAreMadeOneByOne) {
  Network net("e256");
  const uint32_t left = net.input({64, 2, 16, firmware::DataType::Int8});
  const uint32_t sets = net.input({8, 1, 16 * 12, firmware::DataType::Int8});
  net.output(net.product(left, net.requantize(sets), 12));
  const Problem &problem = net.problem();
  Plan plan = layerByLayer(problem);
  plan.residencies[problem.operations[0].outputs[0].id] = Residency::Ring;
  for (const bool ahead : {false, true}) {
    const RowFlow flow = flowCascade(problem, TensorUses(problem), plan, {0, 2, 4, 1, ahead}, false);
    EXPECT_EQ(flow.maps.at(problem.operations[0].outputs[0].id).ringRows, 1u) << ahead;
  }
}

} // namespace
} // namespace avocet::compiler::schedule
