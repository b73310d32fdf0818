//===- RankRulesTest.cpp - Ranks of the operands of an operation ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "signatures/RankRules.h"
#include "Models.h"

#include <gtest/gtest.h>

namespace avocet::hal::test {
namespace {

using enum OperandType;
using Shape = std::vector<uint32_t>;

/// The answer for an operation whose operands have these shapes; the rules look at no types.
std::string answerFor(OperationType type, const std::vector<Shape> &inputs, const std::vector<Shape> &outputs) {
  hal::Subgraph graph;
  Operation operation{type, {}, {}};
  const auto add = [&](const std::vector<Shape> &shapes, std::vector<uint32_t> &indices) {
    for (const Shape &shape : shapes) {
      indices.push_back(static_cast<uint32_t>(graph.operands.size()));
      graph.operands.push_back(tensor(TensorFloat32, shape));
    }
  };
  add(inputs, operation.inputs);
  add(outputs, operation.outputs);
  const Model model;
  const Outcome outcome = checkRanks(OperationView(model, graph, operation));
  return outcome ? "" : outcome.error().message;
}

TEST(RankRules, CommonRankHoldsForAllOperands) {
  EXPECT_EQ(answerFor(OperationType::Concatenation, {{2, 2}, {1, 2}, {}}, {{3, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Concatenation, {{2, 2}, {2}, {}}, {{3, 2}}),
            "input 1 has rank 1, must be that of input 0, 2");
  EXPECT_EQ(answerFor(OperationType::Concatenation, {{}, {2, 2}, {2}, {}}, {{}}),
            "input 2 has rank 1, must be that of input 1, 2");
  EXPECT_EQ(answerFor(OperationType::Split, {{4, 2}, {}, {}}, {{2, 2}, {2, 2, 1}}),
            "output 1 has rank 3, must be that of input 0, 2");
}

TEST(RankRules, UnknownRanksAgreeWithAll) {
  EXPECT_EQ(answerFor(OperationType::Concatenation, {{}, {2}, {}}, {{}}), "");
  EXPECT_EQ(answerFor(OperationType::Add, {{2}, {}, {}}, {{1, 2, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Gather, {{2, 2}, {}, {}}, {{2, 2, 2, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Pad, {{2, 2}, {0, 0}}, {{4, 4}}), "");
}

TEST(RankRules, BroadcastResultHasGreatestRank) {
  EXPECT_EQ(answerFor(OperationType::Add, {{2}, {3, 2}, {}}, {{3, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Add, {{2}, {3, 2}, {}}, {{1, 3, 2}}), "output 0 has rank 3, must be 2");
}

TEST(RankRules, ResultRanksFollowFromInputs) {
  EXPECT_EQ(answerFor(OperationType::ExpandDims, {{2, 2}, {}}, {{1, 2, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::ExpandDims, {{2, 2}, {}}, {{2, 2}}), "output 0 has rank 2, must be 3");
  EXPECT_EQ(answerFor(OperationType::Argmax, {{2}, {}}, {{1}}), "");
  EXPECT_EQ(answerFor(OperationType::Argmax, {{2, 2}, {}}, {{2, 1}}), "output 0 has rank 2, must be 1");
  EXPECT_EQ(answerFor(OperationType::Gather, {{2, 2}, {}, {3, 3}}, {{3, 3, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Gather, {{2, 2}, {}, {3, 3}}, {{3, 2}}), "output 0 has rank 2, must be 3");
  EXPECT_EQ(answerFor(OperationType::Pack, {{}, {2}, {2}}, {{2}}), "output 0 has rank 1, must be 2");
}

TEST(RankRules, OneTensorKeepsItsRankWithoutRow) {
  size_t operations = 0;
  for (const OperationSignature &signature : allSignatures())
    if (signature.forms[0].inputs == "t" && signature.forms[0].outputs == "t") {
      ++operations;
      EXPECT_EQ(answerFor(signature.type, {{2, 2}}, {{4, 4}}), "") << signature.name();
      EXPECT_EQ(answerFor(signature.type, {{2, 2}}, {{4}}), "output 0 has rank 1, must be that of input 0, 2")
          << signature.name();
    }
  EXPECT_GT(operations, 10u);
  EXPECT_EQ(answerFor(OperationType::Softmax, {{2, 2}, {}, {}}, {{4}}),
            "output 0 has rank 1, must be that of input 0, 2");
  EXPECT_EQ(answerFor(OperationType::Rank, {{2, 2}}, {{4}}), "") << "the result is a scalar";
}

TEST(RankRules, ListsHaveOneEntryPerDimension) {
  EXPECT_EQ(answerFor(OperationType::Slice, {{2, 2}, {2}, {3}}, {{1, 1}}),
            "input 2 has 3 elements, must be the rank of input 0, 2");
  EXPECT_EQ(answerFor(OperationType::Pad, {{2, 2}, {3, 2}}, {{4, 4}}),
            "input 1 has 3 rows, must be the rank of input 0, 2");
  EXPECT_EQ(answerFor(OperationType::Pad, {{2, 2}, {0}}, {{4, 4}}), "");
  EXPECT_EQ(answerFor(OperationType::PadV2, {{2, 2}, {2, 3}, {}}, {{4, 4}}),
            "input 1 has shape [2,3], must be [rank,2]");
  EXPECT_EQ(answerFor(OperationType::Reshape, {{4}, {2}}, {{2, 2, 1}}), "output 0 has rank 3, must be 2");
  EXPECT_EQ(answerFor(OperationType::Tile, {{2, 2}, {1, 2}}, {{2, 2}}), "input 1 has rank 2, must be 1");
}

TEST(RankRules, OmittedOperandsAreFree) {
  hal::Subgraph graph;
  graph.operands = {tensor(TensorFloat32, {2, 2}), tensor(TensorInt32, {0, 0, 0}), tensor(TensorFloat32, {2, 2})};
  const Operation operation{OperationType::Transpose, {0, 1}, {2}};
  const Model model;
  EXPECT_FALSE(checkRanks(OperationView(model, graph, operation)));
  graph.operands[1].lifetime = OperandLifeTime::NoValue;
  EXPECT_TRUE(checkRanks(OperationView(model, graph, operation)));
  EXPECT_EQ(answerFor(OperationType::Rnn, {{1, 2}, {2, 2}, {2, 2}, {2}, {0}}, {{1, 2}, {1, 2}}), "");
  EXPECT_EQ(answerFor(OperationType::Rnn, {{1, 2}, {2, 2}, {2, 2}, {2}, {2}}, {{1, 2}, {1, 2}}),
            "input 4 has rank 1, must be 2");
}

} // namespace
} // namespace avocet::hal::test
