//===- SupportTest.cpp - What the device says it can do ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <gmock/gmock.h>

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

} // namespace
} // namespace avocet::hal
