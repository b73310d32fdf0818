//===- DefinitionsTest.cpp - The second arithmetic of each operation ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "random/Definitions.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

#include <cstring>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Computed from the operations of their subgraphs, one at a time (Evaluation.h).
bool isComputedFromParts(OperationType type) { return type == If || type == While; }

TEST(DefinitionsTest, EachOperationHasOne) {
  for (const OperationSignature &signature : allSignatures())
    EXPECT_NE(findDefinition(signature.type) != nullptr, isComputedFromParts(signature.type)) << signature.name();
}

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Adds a value to the graph, and to its last operation: as a result, or as an operand.
template <typename T>
Value &add(Graph &graph, OperandType type, const Dimensions &dimensions, const std::vector<T> &values,
           ValueRole role = ValueRole::Input) {
  Value value;
  value.type = type;
  value.dimensions = dimensions;
  value.bytes = bytesOf(values);
  value.role = role;
  Operation &operation = graph.operations.back();
  (role == ValueRole::Result ? operation.outputs : operation.inputs)
      .push_back(static_cast<uint32_t>(graph.values.size()));
  return graph.values.emplace_back(std::move(value));
}

Graph graphOf(OperationType type) {
  Graph graph;
  graph.operations.push_back({type, {}, {}});
  return graph;
}

void addScalar(Graph &graph, float value) { add<float>(graph, OperandType::Float32, {}, {value}); }
void addScalar(Graph &graph, int32_t value) { add<int32_t>(graph, OperandType::Int32, {}, {value}); }

/// The two largest of 1, 3, 3 and their places.
DefinitionCheck checkTopK(const std::vector<int32_t> &places) {
  Graph graph = graphOf(TopkV2);
  add<float>(graph, OperandType::TensorFloat32, {3}, {1, 3, 3});
  addScalar(graph, 2);
  add<float>(graph, OperandType::TensorFloat32, {2}, {3, 3}, ValueRole::Result);
  add<int32_t>(graph, OperandType::TensorInt32, {2}, places, ValueRole::Result);
  return compareWithDefinition(graph);
}

TEST(DefinitionsTest, DifferencesInOtherOutputsAreFound) {
  EXPECT_EQ(checkTopK({2, 1}).difference, "");
  EXPECT_THAT(checkTopK({1, 2}).difference, testing::HasSubstr("output 1"));
}

/// Two boxes that do not overlap, with these scores, of which the first is selected.
DefinitionCheck checkLimitedBoxes(float first, float second) {
  Graph graph = graphOf(BoxWithNmsLimit);
  add<float>(graph, OperandType::TensorFloat32, {2, 2}, {0, first, 0, second});
  add<float>(graph, OperandType::TensorFloat32, {2, 8}, {0, 0, 1, 1, 0, 0, 4, 4, 0, 0, 1, 1, 8, 8, 9, 9});
  add<int32_t>(graph, OperandType::TensorInt32, {2}, {0, 0});
  addScalar(graph, 0.25f);
  addScalar(graph, 1);
  addScalar(graph, 0);
  for (float number : {0.5f, 1.0f, 0.25f})
    addScalar(graph, number);
  add<float>(graph, OperandType::TensorFloat32, {1}, {first}, ValueRole::Result);
  add<float>(graph, OperandType::TensorFloat32, {1, 4}, {0, 0, 4, 4}, ValueRole::Result);
  add<int32_t>(graph, OperandType::TensorInt32, {1}, {1}, ValueRole::Result);
  add<int32_t>(graph, OperandType::TensorInt32, {1}, {0}, ValueRole::Result);
  return compareWithDefinition(graph);
}

TEST(DefinitionsTest, UndecidedSelectionsAreNotCompared) {
  EXPECT_TRUE(checkLimitedBoxes(0.75f, 0.5f).isCompared);
  EXPECT_EQ(checkLimitedBoxes(0.75f, 0.5f).difference, "");
  EXPECT_FALSE(checkLimitedBoxes(0.75f, 0.75f).isCompared);
  EXPECT_NE(checkLimitedBoxes(0.5f, 0.75f).difference, "");
}

/// 1000 draws of two classes that are equally likely: class 1 every `every` draws, else class `other`.
std::string checkDraws(size_t every, int32_t other = 0) {
  std::vector<int32_t> draws(1000, other);
  for (size_t i = 0; i < draws.size(); i += every)
    draws[i] = 1;
  Graph graph = graphOf(RandomMultinomial);
  add<float>(graph, OperandType::TensorFloat32, {1, 2}, {-1, -1});
  addScalar(graph, 1000);
  add<int32_t>(graph, OperandType::TensorInt32, {2}, {1, 2});
  add<int32_t>(graph, OperandType::TensorInt32, {1, 1000}, draws, ValueRole::Result);
  return compareWithDefinition(graph).difference;
}

TEST(DefinitionsTest, DrawsThatMissTheDistributionAreFound) {
  EXPECT_EQ(checkDraws(2), "");
  EXPECT_THAT(checkDraws(4), testing::HasSubstr("class 0 is drawn 750 times"));
  EXPECT_THAT(checkDraws(2, 2), testing::HasSubstr("of 2 classes"));
}

} // namespace
} // namespace avocet::hal::conformance
