//===- LifeCycleTest.cpp - From a model to results --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <atomic>
#include <gmock/gmock.h>
#include <numeric>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

using LifeCycleTest = DeviceFixture;

TEST_F(LifeCycleTest, AddsTwoInputs) {
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

TEST_F(LifeCycleTest, ReadsConstantsFromPools) {
  auto prepared = prepare(addConstantModel({10, 20, 30}));
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(12), outputs(12);
  inputs.as<float>()[1] = 1.5f;
  ASSERT_TRUE(prepared->execute(requestOf({12}, {12}, inputs, outputs), {}).isOk());
  EXPECT_THAT(outputs.as<float>(), ElementsAre(10, 21.5f, 30));
}

TEST_F(LifeCycleTest, SpecializesUnknownExtents) {
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

TEST_F(LifeCycleTest, CompilesEvictedShapesAgain) {
  DriverOptions options;
  options.maxSpecializations = 1;
  open(options);
  auto prepared = prepare(addModel({0}));
  ASSERT_NE(prepared, nullptr);
  const uint64_t before = driver_->counters().specializations;
  for (uint32_t extent : {1u, 2u, 3u, 1u, 2u, 2u}) {
    TestPool inputs(extent * 8), outputs(extent * 4);
    inputs.as<float>()[extent - 1] = static_cast<float>(extent);
    Request request = requestOf({extent * 4, extent * 4}, {extent * 4}, inputs, outputs);
    request.inputs[0].dimensions = request.inputs[1].dimensions = {extent};
    ASSERT_TRUE(prepared->execute(request, {}).isOk());
    EXPECT_EQ(outputs.as<float>()[extent - 1], static_cast<float>(extent));
  }
  EXPECT_EQ(driver_->counters().specializations, before + 5);
}

/// TRANSPOSE of a 2x3 matrix, whose permutation comes with the request or is left out.
TEST_F(LifeCycleTest, SpecializesValuesAndOmittedInputs) {
  Model model;
  model.main.operands = {tensor(OperandType::TensorFloat32, {2, 3}, OperandLifeTime::SubgraphInput),
                         tensor(OperandType::TensorInt32, {2}, OperandLifeTime::SubgraphInput),
                         tensor(OperandType::TensorFloat32, {0, 0}, OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{OperationType::Transpose, {0, 1}, {2}}};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {2};
  auto prepared = prepare(model);
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(32), outputs(24);
  std::iota(inputs.as<float>().begin(), inputs.as<float>().begin() + 6, 0.0f);
  auto runWith = [&](std::vector<int32_t> permutation) {
    Request request = requestOf({24, 8}, {24}, inputs, outputs);
    if (permutation.empty())
      request.inputs[1] = {true, {}, {}};
    std::copy(permutation.begin(), permutation.end(), inputs.as<int32_t>().begin() + 6);
    ExecutionOutcome outcome = prepared->execute(request, {});
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
    return outcome.isOk() ? outcome.outputShapes[0].dimensions : std::vector<uint32_t>();
  };
  EXPECT_THAT(runWith({1, 0}), ElementsAre(3, 2));
  EXPECT_THAT(outputs.as<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(runWith({0, 1}), ElementsAre(2, 3));
  EXPECT_THAT(outputs.as<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(runWith({}), ElementsAre(3, 2));
  EXPECT_THAT(outputs.as<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(LifeCycleTest, ConcurrentRequestsOfOneShapeCompileOnce) {
  auto prepared = prepare(addModel({0}));
  const uint64_t before = driver_->counters().specializations;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      TestPool inputs(16), outputs(8);
      Request request = requestOf({8, 8}, {8}, inputs, outputs);
      request.inputs[0].dimensions = request.inputs[1].dimensions = {2};
      failures += !prepared->execute(request, {}).isOk();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(driver_->counters().specializations, before + 1);
}

TEST_F(LifeCycleTest, QueriesAreEqualAfterReopening) {
  std::shared_ptr<IDevice> first = device_;
  open({});
  EXPECT_EQ(first->name(), device_->name());
  EXPECT_EQ(first->versionString(), device_->versionString());
  EXPECT_FALSE(first->versionString().empty());
  EXPECT_EQ(first->numberOfCacheFilesNeeded().numModelCache, device_->numberOfCacheFilesNeeded().numModelCache);
  EXPECT_EQ(first->type(), DeviceType::Accelerator);
  EXPECT_EQ(first->status(), DeviceStatus::Available);
}

TEST_F(LifeCycleTest, PreparedModelOutlivesItsDevice) {
  auto prepared = prepare(addModel({4}));
  device_.reset();
  TestPool inputs(32), outputs(16);
  EXPECT_TRUE(prepared->execute(requestOf({16, 16}, {16}, inputs, outputs), {}).isOk());
}

TEST_F(LifeCycleTest, RepeatsReusableExecution) {
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  auto execution = prepared->createReusableExecution(requestOf({8, 8}, {8}, inputs, outputs), {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  prepared.reset();
  for (float value : {1.0f, 2.0f, 3.0f}) {
    inputs.as<float>()[0] = value;
    ASSERT_TRUE((*execution)->compute({}).isOk());
    EXPECT_EQ(outputs.as<float>()[0], value);
  }
}

TEST_F(LifeCycleTest, DeviceTimeIsWithinDriverTime) {
  auto prepared = prepare(addModel({8}));
  TestPool inputs(64), outputs(32);
  Request request = requestOf({32, 32}, {32}, inputs, outputs);
  ExecutionOutcome measured = prepared->execute(request, {MeasureTiming::Yes, {}, {}, {}});
  ASSERT_TRUE(measured.isOk());
  ASSERT_TRUE(measured.timing.timeOnDevice && measured.timing.timeInDriver);
  EXPECT_GT(measured.timing.timeOnDevice->count(), 0);
  EXPECT_LE(*measured.timing.timeOnDevice, *measured.timing.timeInDriver);
  ExecutionOutcome plain = prepared->execute(request, {});
  EXPECT_FALSE(plain.timing.timeOnDevice || plain.timing.timeInDriver);
}

TEST_F(LifeCycleTest, RunsConcurrentRequestsOfOneModel) {
  auto prepared = prepare(addModel({0, 4}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      uint32_t rows = t % 2 + 1, bytes = rows * 16;
      TestPool inputs(2 * bytes), outputs(bytes);
      Request request = requestOf({bytes, bytes}, {bytes}, inputs, outputs);
      request.inputs[0].dimensions = request.inputs[1].dimensions = {rows, 4};
      for (int run = 0; run < 20; ++run) {
        std::fill(inputs.as<float>().begin(), inputs.as<float>().end(), static_cast<float>(t + run));
        wrong += !prepared->execute(request, {}).isOk() || outputs.as<float>()[rows * 4 - 1] != 2.0f * (t + run);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace avocet::hal
