//===- SupportTest.cpp - What the device says it can do ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using Support = DeviceFixture;

constexpr OperationType kRandomMultinomial = 74;

/// ADD, and behind it RANDOM_MULTINOMIAL of its result, which nobody can compile yet.
Model modelWithUnknownOperation(std::vector<uint32_t> dimensions) {
  Model model = addModel(dimensions);
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  uint32_t count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(scalarConstant(model, 4));
  main.operands.push_back(tensor(OperandType::TensorInt32, {2}, OperandLifeTime::SubgraphInput));
  main.operands.push_back(tensor(OperandType::TensorInt32, {0, 0}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({kRandomMultinomial, {3, count, count + 1}, {count + 2}});
  main.inputIndexes.push_back(count + 1);
  main.outputIndexes = {count + 2};
  return model;
}

TEST_F(Support, SaysYesToWhatCompiles) {
  auto supported = device_->getSupportedOperations(addModel({2, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true));
  EXPECT_TRUE(supported->reasons[0].rule.empty());
}

TEST_F(Support, SaysNoWithAReason) {
  auto supported = device_->getSupportedOperations(modelWithUnknownOperation({2, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
  EXPECT_TRUE(supported->reasons[0].rule.empty());
  EXPECT_FALSE(supported->reasons[1].rule.empty());
}

TEST_F(Support, KnowsTheKindsOfOperationsBeforeTheShapes) {
  auto supported = device_->getSupportedOperations(modelWithUnknownOperation({0, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
}

TEST_F(Support, RefusesAModelThatBreaksARule) {
  Model model = addModel({2});
  model.main.outputIndexes = {2};
  EXPECT_EQ(device_->getSupportedOperations(model).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->prepareModel(model, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(Support, SupportsNothingWhoseConstantsCannotBeRead) {
  Model model = addConstantModel({1, 2, 3});
  model.pools = {std::make_shared<Memory>(Memory{UnknownHandle{"strange", {}, {}, 12}})};
  auto supported = device_->getSupportedOperations(model);
  if (supported)
    EXPECT_THAT(supported->supported, ElementsAre(false));
  EXPECT_FALSE(device_->prepareModel(model, {}).isOk());
}

TEST_F(Support, AnUnsupportedOperationFailsThePreparation) {
  EXPECT_EQ(device_->prepareModel(modelWithUnknownOperation({2, 3}), {}).code(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(device_->prepareModel(modelWithUnknownOperation({0, 3}), {}).code(), ErrorStatus::GeneralFailure);
}

/// ADD, and behind it SOFTMAX of its result, a line of so many floats.
Model softmaxOfSum(uint32_t elements) {
  constexpr OperationType kSoftmax = 25;
  Model model = addModel({1, elements});
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  const uint32_t count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(floatConstant(model, 1.0f));
  main.operands.push_back(tensor(OperandType::TensorFloat32, {1, elements}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({kSoftmax, {3, count}, {count + 1}});
  main.outputIndexes = {count + 1};
  return model;
}

/// The answer for each operation, and whether the model can be prepared, on the target with the least memory.
class LargeSupport : public Support {
protected:
  void SetUp() override {
    DriverOptions options;
    options.target = "e256s";
    open(options);
  }

  void expectSupport(const Model &model, const std::vector<bool> &expected) {
    auto supported = device_->getSupportedOperations(model);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_EQ(supported->supported, expected);
    const bool all = std::ranges::all_of(expected, [](bool yes) { return yes; });
    auto prepared = device_->prepareModel(model, {});
    EXPECT_EQ(prepared.isOk(), all);
    if (!all)
      EXPECT_EQ(prepared.code(), ErrorStatus::GeneralFailure);
  }
};

TEST_F(LargeSupport, TakesOperandsThatDoNotFitOnChip) {
  expectSupport(addModel({1 << 20}), {true});
  expectSupport(softmaxOfSum(1 << 14), {true, true});
}

TEST_F(LargeSupport, RefusesLinesThatDoNotFitOnChipAndSaysHowMuchTheyNeed) {
  const Model model = softmaxOfSum(1 << 20);
  expectSupport(model, {true, false});
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk());
  EXPECT_EQ(supported->reasons[1].rule, "bytes of on-chip memory for the smallest tile");
  EXPECT_EQ(supported->reasons[1].value, std::to_string(uint64_t{2} << 22));
  EXPECT_EQ(supported->reasons[1].limit, std::to_string(384 * 1024));
}

} // namespace
} // namespace avocet::hal
