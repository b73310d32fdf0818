//===- PredictedTimeTest.cpp - Limit of a program's predicted time --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;

class PredictedTimeTest : public DeviceFixture {
protected:
  void SetUp() override {}

  void openWith(Duration maxPredictedTime) {
    DriverOptions options;
    options.maxPredictedTime = maxPredictedTime;
    open(options);
  }
};

TEST_F(PredictedTimeTest, RefusesModelsAboveLimit) {
  openWith(Duration(1));
  const auto refused = device_->prepareModel(addModel({4}), {});
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.error().code, ErrorStatus::ResourceExhaustedPersistent);
  EXPECT_NE(refused.error().message.find("predicted to take"), std::string::npos) << refused.error().message;
  openWith(std::chrono::seconds(1));
  EXPECT_NE(prepare(addModel({4})), nullptr);
  openWith(Duration(0));
  EXPECT_NE(prepare(addModel({4})), nullptr) << "no limit";
}

/// The shapes are known only at the execution.
TEST_F(PredictedTimeTest, RefusesExecutionsAboveLimit) {
  openWith(Duration(1));
  const auto open = prepare(addModel({0}));
  ASSERT_NE(open, nullptr);
  TestPool in(32), out(16);
  Request request = requestOf({16, 16}, {16}, in, out);
  for (RequestArgument &input : request.inputs)
    input.dimensions = {4};
  const ExecutionOutcome outcome = open->execute(request, {});
  EXPECT_EQ(outcome.status, ErrorStatus::ResourceExhaustedPersistent) << outcome.message;
}

} // namespace
} // namespace avocet::hal
