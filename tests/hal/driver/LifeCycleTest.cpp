//===- LifeCycleTest.cpp - From a model to results --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

class LifeCycle : public ::testing::Test {
protected:
  void SetUp() override {
    Result<std::shared_ptr<IDevice>> device = openDevice({});
    ASSERT_TRUE(device.isOk()) << device.error().message;
    device_ = *device;
  }
  std::shared_ptr<IPreparedModel> prepare(const Model &model) {
    Result<std::shared_ptr<IPreparedModel>> prepared = device_->prepareModel(model, {});
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }
  std::shared_ptr<IDevice> device_;
};

TEST_F(LifeCycle, AddsTwoInputs) {
  auto prepared = prepare(addModel({1, 2, 2, 1}));
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(32), outputs(16);
  std::iota(inputs.as<float>().begin(), inputs.as<float>().end(), 1.0f);
  ExecutionOutcome outcome = prepared->execute(requestOf({16, 16}, {16}, inputs, outputs), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(1, 2, 2, 1));
  EXPECT_TRUE(outcome.outputShapes[0].isSufficient);
  EXPECT_THAT(outputs.as<float>(), ElementsAre(6, 8, 10, 12));
}

TEST_F(LifeCycle, ReadsConstantsFromPools) {
  auto prepared = prepare(addConstantModel({10, 20, 30}));
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(12), outputs(12);
  inputs.as<float>()[1] = 1.5f;
  ASSERT_TRUE(prepared->execute(requestOf({12}, {12}, inputs, outputs), {}).isOk());
  EXPECT_THAT(outputs.as<float>(), ElementsAre(10, 21.5f, 30));
}

TEST_F(LifeCycle, SpecialisesUnknownExtents) {
  auto prepared = prepare(addModel({0, 2}));
  ASSERT_NE(prepared, nullptr);
  for (uint32_t rows : {1u, 3u, 1u}) {
    TestPool inputs(rows * 16), outputs(rows * 8);
    std::iota(inputs.as<float>().begin(), inputs.as<float>().end(), 0.0f);
    Request request = requestOf({rows * 8, rows * 8}, {rows * 8}, inputs, outputs);
    request.inputs[0].dimensions = request.inputs[1].dimensions = {rows, 2};
    ExecutionOutcome outcome = prepared->execute(request, {});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(rows, 2));
    for (uint32_t i = 0; i < rows * 2; ++i)
      EXPECT_EQ(outputs.as<float>()[i], inputs.as<float>()[i] + inputs.as<float>()[i + rows * 2]);
  }
}

} // namespace
} // namespace avocet::hal
