//===- DeadlineTest.cpp - Work with a deadline ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;

class DriverDeadlineTest : public DeviceFixture {
protected:
  static OptionalTimePoint fromNow(Duration duration) { return BootClock::now() + duration; }
  static bool isMissed(ErrorStatus status) {
    return status == ErrorStatus::MissedDeadlineTransient || status == ErrorStatus::MissedDeadlinePersistent;
  }
  static PrepareOptions until(OptionalTimePoint deadline) {
    PrepareOptions options;
    options.deadline = deadline;
    return options;
  }
  /// A sum of several megabytes: the simulator runs it for longer than the tests wait.
  static constexpr uint32_t kLargeExtent = 1 << 20;
};

TEST_F(DriverDeadlineTest, LatePreparationMissesPersistently) {
  auto prepared = device_->prepareModel(addModel({2}), until(BootClock::now()));
  EXPECT_EQ(prepared.code(), ErrorStatus::MissedDeadlinePersistent);
}

TEST_F(DriverDeadlineTest, PreparationBeforeDeadlineSucceeds) {
  EXPECT_TRUE(device_->prepareModel(addModel({2}), until(fromNow(std::chrono::minutes(5)))).isOk());
}

TEST_F(DriverDeadlineTest, NegativeTimesAreInvalid) {
  auto prepared = device_->prepareModel(addModel({2}), until(TimePoint(Duration(-2))));
  EXPECT_EQ(prepared.code(), ErrorStatus::InvalidArgument);
}

TEST_F(DriverDeadlineTest, LateExecutionMissesPersistently) {
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  ExecutionOptions options;
  options.deadline = BootClock::now();
  ExecutionOutcome outcome = prepared->execute(requestOf({8, 8}, {8}, inputs, outputs), options);
  EXPECT_EQ(outcome.status, ErrorStatus::MissedDeadlinePersistent);
  EXPECT_TRUE(outcome.outputShapes.empty());
}

TEST_F(DriverDeadlineTest, LateExecutionOfUnknownShapesMissesPersistently) {
  EXPECT_EQ(device_->prepareModel(addModel({0}), until(BootClock::now())).code(),
            ErrorStatus::MissedDeadlinePersistent);
  auto prepared = prepare(addModel({0}));
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(16), outputs(8);
  Request request = requestOf({8, 8}, {8}, inputs, outputs);
  request.inputs[0].dimensions = request.inputs[1].dimensions = {2};
  ExecutionOptions options;
  options.deadline = BootClock::now();
  for (bool isCompiled : {false, true}) {
    SCOPED_TRACE(isCompiled);
    const ExecutionOutcome outcome = prepared->execute(request, options);
    EXPECT_EQ(outcome.status, ErrorStatus::MissedDeadlinePersistent) << outcome.message;
    EXPECT_TRUE(outcome.outputShapes.empty());
    EXPECT_TRUE(prepared->execute(request, {}).isOk()) << "compiles the shapes";
  }
}

TEST_F(DriverDeadlineTest, ModelStaysUsableAfterMissedExecution) {
  auto prepared = prepare(addModel({1, kLargeExtent >> 12, 1 << 8, 1 << 4}));
  ASSERT_NE(prepared, nullptr);
  constexpr uint64_t kBytes = uint64_t{kLargeExtent} * 4;
  TestPool inputs(2 * kBytes), outputs(kBytes);
  Request request = requestOf({kBytes, kBytes}, {kBytes}, inputs, outputs);
  ExecutionOptions options;
  options.deadline = fromNow(std::chrono::microseconds(100));
  ExecutionOutcome outcome = prepared->execute(request, options);
  EXPECT_TRUE(isMissed(outcome.status)) << outcome.message;
  EXPECT_TRUE(outcome.outputShapes.empty());
  inputs.as<float>()[0] = 3;
  EXPECT_TRUE(prepared->execute(request, {}).isOk());
  EXPECT_EQ(outputs.as<float>()[0], 3);
}

TEST_F(DriverDeadlineTest, ReusableExecutionAcceptsDeadlineForEachRun) {
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  auto execution = prepared->createReusableExecution(requestOf({8, 8}, {8}, inputs, outputs), {});
  ASSERT_TRUE(execution.isOk());
  EXPECT_EQ((*execution)->compute(BootClock::now()).status, ErrorStatus::MissedDeadlinePersistent);
  EXPECT_TRUE((*execution)->compute(fromNow(std::chrono::minutes(5))).isOk());
}

} // namespace
} // namespace avocet::hal
