//===- OverlapTest.cpp - Operations in pieces that overlap -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"
#include "Networks.h"
#include "Scheduler.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

/// A softmax that needs all rows, as the whole network or after a convolution.
Network softmaxNetwork(bool afterConv) {
  Network net("e256");
  uint32_t x = net.input({64, 64, 32, DataType::Int8});
  net.output(net.softmax(afterConv ? net.conv(x, 32, 1) : x));
  return net;
}

TEST(OverlapTest, OperandsOutsideSramAreCut) {
  Network net = softmaxNetwork(false);
  const Plan plan = layerByLayer(net.problem());
  const std::optional<Plan> overlapped = withOverlap(net.problem(), plan);
  ASSERT_TRUE(overlapped);
  EXPECT_GT(overlapped->cascades[0].pieceBytes, 0u);
  const Sequence sequence = lowered(net.problem(), *overlapped);
  EXPECT_TRUE(sequence.verify(net.problem()).isOk());
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(OverlapTest, OperandInSramStaysWhole) {
  const Network net = softmaxNetwork(true);
  EXPECT_FALSE(withOverlap(net.problem(), layerByLayer(net.problem())));
}

TEST(OverlapTest, PlayedPlanWithPiecesIsFaster) {
  const Network net = softmaxNetwork(false);
  Scheduler scheduler(net.problem());
  std::vector<PlayedPlan> played;
  scheduler.tryPlans(planSettings(0), [&](PlayedPlan plan) { played.push_back(std::move(plan)); });
  ASSERT_EQ(played.size(), 2u);
  EXPECT_EQ(played[0].plan.cascades[0].pieceBytes, 0u);
  EXPECT_LT(played[1].ordered.cycles, played[0].ordered.cycles);
}

} // namespace
} // namespace avocet::compiler::schedule
