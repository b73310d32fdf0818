//===- RandomDraftTest.cpp - Operands of drawn operations -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestGraphs.h"
#include "random/Draft.h"

#include <gmock/gmock.h>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

class NoSubgraphs final : public SubgraphDrawer {
public:
  bool mayDraw() const override { return false; }
  void grow(Graph &, uint32_t) override {}
  bool append(Graph &, OperationType, const std::function<bool(Draft &)> &) override { return false; }
};

TEST(RandomDraftTest, IntegersAreReadFromNoBias) {
  Graph graph;
  const uint32_t plain = constant(graph, 2), bias = constant(graph, 17);
  graph.values[bias].scale = 0.25f;
  Random random(1);
  NoSubgraphs drawer;
  bool isPlainPicked = false;
  for (int i = 0; i < 50; ++i) {
    Draft draft(graph, random, Maximum, 16, drawer);
    const uint32_t picked = draft.pickShape(graph.values[plain], {1});
    EXPECT_NE(picked, bias);
    isPlainPicked |= picked == plain;
  }
  EXPECT_TRUE(isPlainPicked);
}

} // namespace
} // namespace avocet::hal::conformance
