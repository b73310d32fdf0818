//===- SubgraphTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

namespace avocet::nnapi::testing {
namespace {

/// Runs a model with inputs BOOL8 of 1 and FLOAT32 of 2, and one output of 2.
std::vector<float> runIf(const Compilation &compilation, bool condition, std::vector<float> input) {
  const Execution execution = executionOf(compilation);
  std::vector<float> output(2);
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &condition, 1));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, input.data(), 8));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(), 8));
  NEED(ANeuralNetworksExecution_compute(execution.get()));
  return output;
}

using Floats = std::vector<float>;

TEST(SubgraphTest, IfTakesTheBranchOfTheCondition) {
  const Compilation compilation = compile(ifModel());
  EXPECT_EQ((Floats{2, 3}), runIf(compilation, true, {1, 2}));
  EXPECT_EQ((Floats{11, 12}), runIf(compilation, false, {1, 2}));
}

TEST(SubgraphTest, OneModelMayBeBothBranches) {
  const Model branch = addConstantModel(3);
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(branch), maker.submodel(branch), input}, {output});
  maker.identify({condition, input}, {output});
  const Compilation compilation = compile(maker.finish());
  EXPECT_EQ((Floats{4, 5}), runIf(compilation, true, {1, 2}));
  EXPECT_EQ((Floats{4, 5}), runIf(compilation, false, {1, 2}));
}

/// An IF whose first branch is the given model of the same inputs, and whose second adds 100.
Model nested(const Model &inner) {
  const Model other = [] {
    ModelMaker maker;
    const float hundred[] = {100, 100};
    const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
    const uint32_t input = maker.floats({2}), output = maker.floats({2});
    maker.add(input, maker.constant({2}, hundred), output);
    maker.identify({condition, input}, {output});
    return maker.finish();
  }();
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(inner), maker.submodel(other), condition, input},
                  {output});
  maker.identify({condition, input}, {output});
  return maker.finish();
}

TEST(SubgraphTest, NestedBranchesKeepTheirConstants) {
  const Compilation compilation = compile(nested(nested(ifModel())));
  EXPECT_EQ((Floats{2, 3}), runIf(compilation, true, {1, 2}));
  EXPECT_EQ((Floats{101, 102}), runIf(compilation, false, {1, 2}));
}

TEST(SubgraphTest, PartsMayBeFreedBeforeTheWhole) {
  // ifModel() and nested() free the parts at their ends.
  Model model = nested(ifModel());
  Compilation compilation = compile(model);
  model.reset();
  EXPECT_EQ((Floats{2, 3}), runIf(compilation, true, {1, 2}));
}

TEST(SubgraphTest, LargeConstantsOfPartsArrive) {
  const std::vector<float> numbers(64, 7);
  const Model branch = [&] {
    ModelMaker maker;
    const uint32_t input = maker.floats({64}), output = maker.floats({64});
    maker.add(input, maker.constant({64}, numbers), output);
    maker.identify({input}, {output});
    return maker.finish();
  }();
  ModelMaker maker;
  const std::vector<float> outerNumbers(64, 2);
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t input = maker.floats({64}), sum = maker.floats({64}), output = maker.floats({64});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(branch), maker.submodel(branch), sum}, {output});
  maker.add(input, maker.constant({64}, outerNumbers), sum);
  maker.identify({condition, input}, {output});
  const Compilation compilation = compile(maker.finish());
  const Execution execution = executionOf(compilation);
  const bool yes = true;
  Floats zeros(64), sums(64);
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &yes, 1));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, zeros.data(), 256));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sums.data(), 256));
  ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(execution.get()));
  EXPECT_EQ(Floats(64, 9), sums);
}

TEST(SubgraphTest, WhileRunsUntilTheConditionFails) {
  const Compilation compilation = compile(whileModel(5));
  for (float start : {0.0f, 4.0f, 9.0f}) {
    const Execution execution = executionOf(compilation);
    float output = 0;
    NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &start, 4));
    NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &output, 4));
    ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(execution.get()));
    EXPECT_EQ(std::max(start, 5.0f), output);
  }
}

TEST(SubgraphTest, EndlessLoopMissesItsTimeout) {
  const Compilation compilation = compile(whileModel(1e30f));
  const Execution execution = executionOf(compilation);
  float input = 0, output = 0;
  NEED(ANeuralNetworksExecution_setLoopTimeout(execution.get(), 50'000'000));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &input, 4));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &output, 4));
  const int code = ANeuralNetworksExecution_compute(execution.get());
  EXPECT_TRUE(code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT || code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
      << code;
}

TEST(SubgraphTest, ValueMustBeFinishedModel) {
  ModelMaker outer, unfinished;
  outer.operand({ANEURALNETWORKS_MODEL});
  outer.floats({2});
  const Model value = addConstantModel(1);
  auto set = [](ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksModel *part) {
    return ANeuralNetworksModel_setOperandValueFromModel(model, index, part);
  };
  EXPECT_EQ(kBadState, set(outer.get(), 0, unfinished.get()));
  EXPECT_EQ(kBadState, set(outer.get(), 0, outer.get()));
  EXPECT_EQ(kNull, set(nullptr, 0, value.get()));
  EXPECT_EQ(kNull, set(outer.get(), 0, nullptr));
  EXPECT_EQ(kBadData, set(outer.get(), -1, value.get()));
  EXPECT_EQ(kBadData, set(outer.get(), 2, value.get()));
  EXPECT_EQ(kBadData, set(outer.get(), 1, value.get()));
  EXPECT_EQ(kOk, set(outer.get(), 0, value.get()));
}

TEST(SubgraphTest, ModelOperandHasNoBytes) {
  ModelMaker maker;
  maker.operand({ANEURALNETWORKS_MODEL});
  const int32_t value = 0;
  EXPECT_EQ(kBadData, ANeuralNetworksModel_setOperandValue(maker.get(), 0, &value, sizeof(value)));
  EXPECT_EQ(kBadData,
            ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), 0, SharedFile(8).memory().get(), 0, 4));
}

TEST(SubgraphTest, BranchOfOtherInputsIsRefused) {
  const Model one = addConstantModel(1), two = addModel();
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  const uint32_t inputs[] = {condition, maker.submodel(one), maker.submodel(two), input};
  const int added = ANeuralNetworksModel_addOperation(maker.get(), ANEURALNETWORKS_IF, 4, inputs, 1, &output);
  if (added == kOk) {
    maker.identify({condition, input}, {output});
    EXPECT_EQ(kBadData, ANeuralNetworksModel_finish(maker.get()));
  } else {
    EXPECT_EQ(kBadData, added);
  }
}

TEST(SubgraphTest, BranchGivenAfterTheOperationCounts) {
  const Model yes = addConstantModel(1), no = addConstantModel(10);
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t first = maker.operand({ANEURALNETWORKS_MODEL}), second = maker.operand({ANEURALNETWORKS_MODEL});
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  maker.operation(ANEURALNETWORKS_IF, {condition, first, second, input}, {output});
  NEED(ANeuralNetworksModel_setOperandValueFromModel(maker.get(), static_cast<int32_t>(first), yes.get()));
  NEED(ANeuralNetworksModel_setOperandValueFromModel(maker.get(), static_cast<int32_t>(second), no.get()));
  maker.identify({condition, input}, {output});
  EXPECT_EQ((Floats{11, 12}), runIf(compile(maker.finish()), false, {1, 2}));
}

TEST(SubgraphTest, MissingBranchIsRefused) {
  const Model yes = addConstantModel(1);
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t missing = maker.operand({ANEURALNETWORKS_MODEL}), input = maker.floats({2}),
                 output = maker.floats({2});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(yes), missing, input}, {output});
  maker.identify({condition, input}, {output});
  EXPECT_EQ(kBadData, ANeuralNetworksModel_finish(maker.get()));
}

} // namespace
} // namespace avocet::nnapi::testing
