//===- MeasuringTest.cpp - The costs of what is not asked for ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "ObservedBackend.h"

#include <algorithm>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

/// Counts how often this thread reads the driver's clock. It stands still: what the driver does when time has passed
/// would read it again.
class MeasuringTest : public DeviceFixture {
protected:
  void SetUp() override {
    DriverOptions options;
    options.clock = [this, caller = std::this_thread::get_id(), now = BootClock::now()] {
      if (std::this_thread::get_id() == caller)
        ++reads_;
      return now;
    };
    open(options);
  }

  void TearDown() override {
    device_.reset();
    driver_.reset();
  }

  uint64_t readsOf(IPreparedModel &prepared, MeasureTiming measure) {
    TestPool inputs(16), outputs(8);
    ExecutionOptions options;
    options.measure = measure;
    const uint64_t before = reads_;
    const ExecutionOutcome outcome = prepared.execute(requestOf({8, 8}, {8}, inputs, outputs), options);
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
    EXPECT_EQ(outcome.timing.timeInDriver.has_value(), measure == MeasureTiming::Yes);
    return reads_ - before;
  }

  /// Of several executions: the end of a job reads the clock on this thread, or on that of the device.
  uint64_t leastReadsOf(IPreparedModel &prepared, MeasureTiming measure) {
    constexpr int kRuns = 20;
    uint64_t least = readsOf(prepared, measure);
    for (int run = 1; run < kRuns; ++run)
      least = std::min(least, readsOf(prepared, measure));
    return least;
  }

private:
  uint64_t reads_ = 0;
};

/// At the start and at the end of an execution.
TEST_F(MeasuringTest, OnlyMeasuredExecutionsReadClockTwiceMore) {
  auto prepared = prepare(addModel({2}));
  ASSERT_NE(prepared, nullptr);
  readsOf(*prepared, MeasureTiming::No); // makes the job
  uint64_t plain = leastReadsOf(*prepared, MeasureTiming::No);
  uint64_t measured = leastReadsOf(*prepared, MeasureTiming::Yes);
  // On a busy machine one thread may have read it at the end of all jobs so far.
  for (int attempt = 0; attempt < 100 && measured != plain + 2; ++attempt) {
    plain = std::min(plain, leastReadsOf(*prepared, MeasureTiming::No));
    measured = std::min(measured, leastReadsOf(*prepared, MeasureTiming::Yes));
  }
  EXPECT_EQ(measured, plain + 2);
  EXPECT_LE(plain, 5u) << "for power states, idle memory and the end of the job";
}

constexpr uint32_t kRows = 512, kColumns = 2048;
constexpr uint64_t kBytes = uint64_t{kRows} * kColumns * sizeof(float);

/// tanh(x) minus its sum. The result of tanh() exceeds the on-chip memory, and is read again after the sum.
Model modelWithScratch() {
  Model model;
  Subgraph &main = model.main;
  const auto add = [&](Operand operand) {
    main.operands.push_back(std::move(operand));
    return static_cast<uint32_t>(main.operands.size() - 1);
  };
  const auto floats = [&](std::vector<uint32_t> shape, OperandLifeTime lifetime) {
    return add(tensor(OperandType::TensorFloat32, std::move(shape), lifetime));
  };
  const uint32_t x = floats({kRows, kColumns}, OperandLifeTime::SubgraphInput);
  const uint32_t tanh = floats({kRows, kColumns}, OperandLifeTime::TemporaryVariable);
  const uint32_t sum = floats({1, 1}, OperandLifeTime::TemporaryVariable);
  const uint32_t y = floats({kRows, kColumns}, OperandLifeTime::SubgraphOutput);
  Operand axes = tensor(OperandType::TensorInt32, {2}, OperandLifeTime::ConstantCopy);
  axes.location = {0, 0, 2 * sizeof(int32_t), 0};
  Operand keeps = tensor(OperandType::Bool, {}, OperandLifeTime::ConstantCopy);
  keeps.location = {0, 4, 1, 0};
  model.operandValues = {0, 0, 0, 0, 1, 0, 0, 0}; // axes 0 and 1
  const uint32_t activation = add(scalarConstant(model, 0));
  main.operations = {{OperationType::Tanh, {x}, {tanh}},
                     {OperationType::ReduceSum, {tanh, add(axes), add(keeps)}, {sum}},
                     {OperationType::Sub, {tanh, sum, activation}, {y}}};
  main.inputIndexes = {x};
  main.outputIndexes = {y};
  return model;
}

TEST(ScratchTest, PreparationAloneAllocatesNoScratch) {
  Observer observer;
  DriverOptions options;
  options.backend = observedBackend(observer);
  auto device = openDevice(options);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  auto prepared = (*device)->prepareModel(modelWithScratch(), {});
  ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
  const uint64_t before = observer.createdBytes;
  EXPECT_LT(before, kBytes);
  TestPool inputs(kBytes), outputs(kBytes);
  const ExecutionOutcome outcome = (*prepared)->execute(requestOf({kBytes}, {kBytes}, inputs, outputs), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_GE(observer.createdBytes - before, kBytes) << "the model has scratch memory";
}

} // namespace
} // namespace avocet::hal
