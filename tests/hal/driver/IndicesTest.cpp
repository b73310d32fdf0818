//===- IndicesTest.cpp - Executions with indices that are out of range ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "Tflite_generated.h"

#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <memory>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using tflite::BuiltinOperator;

constexpr uint32_t kRows = 7, kPicked = 3;

void addTensor(tflite::SubGraphT &graph, const std::string &name, std::vector<int32_t> shape) {
  auto tensor = std::make_unique<tflite::TensorT>();
  tensor->name = name;
  tensor->type = tflite::TensorType::INT32;
  tensor->shape = std::move(shape);
  graph.tensors.push_back(std::move(tensor));
}

/// picked = GATHER(table, indices), or SLICE(table, indices, 3).
std::vector<uint8_t> networkFile(BuiltinOperator kind, int32_t indices) {
  tflite::ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.buffers.back()->data = {kPicked, 0, 0, 0};
  auto graph = std::make_unique<tflite::SubGraphT>();
  addTensor(*graph, "table", {kRows});
  addTensor(*graph, "indices", {indices});
  addTensor(*graph, "picked", {kPicked});
  addTensor(*graph, "size", {1});
  graph->tensors.back()->buffer = 1;
  auto code = std::make_unique<tflite::OperatorCodeT>();
  code->builtin_code = kind;
  code->deprecated_builtin_code = static_cast<int8_t>(kind);
  model.operator_codes.push_back(std::move(code));
  auto operation = std::make_unique<tflite::OperatorT>();
  operation->inputs = {0, 1};
  if (kind == BuiltinOperator::SLICE)
    operation->inputs.push_back(3);
  operation->outputs = {2};
  graph->operators.push_back(std::move(operation));
  graph->inputs = {0, 1};
  graph->outputs = {2};
  model.subgraphs.push_back(std::move(graph));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite::Model::Pack(builder, &model), tflite::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

Operand integers(uint32_t count, OperandLifeTime lifetime) {
  return tensor(OperandType::TensorInt32, {count}, lifetime);
}

/// Operands 0 and 1 are the inputs, operand 2 the output.
Model withoutOperation(uint32_t indices) {
  Model model;
  model.main.operands = {integers(kRows, OperandLifeTime::SubgraphInput),
                         integers(indices, OperandLifeTime::SubgraphInput),
                         integers(kPicked, OperandLifeTime::SubgraphOutput)};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {2};
  return model;
}

Model tfliteModel(BuiltinOperator kind = BuiltinOperator::GATHER, uint32_t indices = kPicked) {
  Model model = withoutOperation(indices);
  model.extensionNameToPrefix = {{std::string(kTfliteExtension), 1}};
  model.operandValues = networkFile(kind, static_cast<int32_t>(indices));
  const auto bytes = static_cast<uint32_t>(model.operandValues.size());
  Operand file = tensor(OperandType::TensorQuant8Asymm, {bytes}, OperandLifeTime::ConstantCopy);
  file.scale = 1;
  file.location = {0, 0, bytes, 0};
  model.main.operands.push_back(file);
  model.main.operations = {{extensionOperation(1, kTfliteNetwork), {3, 0, 1}, {2}}};
  return model;
}

Model nnapiModel() {
  Model model = withoutOperation(kPicked);
  model.main.operands.push_back(scalarConstant(model, 0));
  model.main.operations = {{OperationType::Gather, {0, 3, 1}, {2}}};
  return model;
}

class IndicesTest : public CacheFixture {
protected:
  ExecutionOutcome runWith(IPreparedModel &prepared, const std::vector<int32_t> &indices) {
    for (uint32_t i = 0; i < kRows; ++i)
      inputs_.as<int32_t>()[i] = static_cast<int32_t>(10 * i);
    std::ranges::copy(indices, inputs_.as<int32_t>().begin() + kRows);
    return prepared.execute(requestOf({4 * kRows, 4 * indices.size()}, {4 * kPicked}, inputs_, outputs_), {});
  }

  void expectRefusal(IPreparedModel &prepared) {
    EXPECT_TRUE(runWith(prepared, {6, 0, 3}).isOk());
    EXPECT_THAT(outputs_.as<int32_t>(), ElementsAre(60, 0, 30));
    const ExecutionOutcome outcome = runWith(prepared, {6, 7, 3});
    EXPECT_EQ(outcome.status, ErrorStatus::InvalidArgument);
    EXPECT_THAT(outcome.message, HasSubstr("operator 'picked': index 7 is out of range, must be 0 to 6"));
  }

  TestPool inputs_{4 * (kRows + kPicked)}, outputs_{4 * kPicked};
};

TEST_F(IndicesTest, BadIndicesOfTfliteNetworksAreErrors) {
  const auto prepared = prepare(tfliteModel());
  ASSERT_NE(prepared, nullptr);
  expectRefusal(*prepared);
}

TEST_F(IndicesTest, CachedTfliteNetworksKeepTheRule) {
  ASSERT_NE(prepare(tfliteModel(), withCache()), nullptr);
  restart(/*withCompiler=*/false);
  const auto fromFiles = loadModel(files_);
  ASSERT_NE(fromFiles, nullptr);
  expectRefusal(*fromFiles);
  restart();
  const auto fromOwnCache = prepare(tfliteModel());
  ASSERT_NE(fromOwnCache, nullptr);
  expectRefusal(*fromOwnCache);
}

TEST_F(IndicesTest, SlicesOutOfTheOperandAreErrors) {
  const auto prepared = prepare(tfliteModel(BuiltinOperator::SLICE, 1));
  ASSERT_NE(prepared, nullptr);
  EXPECT_TRUE(runWith(*prepared, {4}).isOk());
  EXPECT_THAT(outputs_.as<int32_t>(), ElementsAre(40, 50, 60));
  const ExecutionOutcome above = runWith(*prepared, {5}), below = runWith(*prepared, {-1});
  EXPECT_THAT(above.message, HasSubstr("operator 'picked': index 7 is out of range, must be 0 to 6"));
  EXPECT_THAT(below.message, HasSubstr("operator 'picked': index -1 is out of range, must be 0 to 6"));
}

TEST_F(IndicesTest, NnapiLeavesTheValuesOpen) {
  const auto prepared = prepare(nnapiModel());
  ASSERT_NE(prepared, nullptr);
  EXPECT_TRUE(runWith(*prepared, {6, 7, -1}).isOk());
  EXPECT_THAT(outputs_.as<int32_t>(), ElementsAre(60, 60, 0));
}

} // namespace
} // namespace avocet::hal
