//===- JobTraceTest.cpp - The device's commands in the active trace -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "avocet/base/Trace.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Json = nlohmann::json;

DriverOptions tracing() {
  DriverOptions options;
  options.trace = true;
  return options;
}

class JobTraceTest : public DeviceFixture {
protected:
  void SetUp() override {
    open(tracing());
    Trace::activate(&trace_);
  }
  void TearDown() override { Trace::activate(nullptr); }

  void runOnce(ExecutionPreference preference = ExecutionPreference::FastSingleAnswer) {
    PrepareOptions options;
    options.preference = preference;
    auto prepared = prepare(addModel({1, 2, 2, 1}), options);
    ASSERT_NE(prepared, nullptr);
    TestPool inputs(32), outputs(16);
    ASSERT_TRUE(prepared->execute(requestOf({16, 16}, {16}, inputs, outputs), {}).isOk());
  }

  /// The spans of one clock, in their order.
  std::vector<Json> spans(TraceClock clock) const {
    std::vector<Json> found;
    const Json whole = Json::parse(trace_.toJson());
    for (const Json &event : whole["traceEvents"])
      if (event["ph"] == "X" && event["pid"] == static_cast<uint32_t>(clock))
        found.push_back(event);
    return found;
  }

  Trace trace_;
};

TEST_F(JobTraceTest, CommandsFollowInDeviceTime) {
  runOnce();
  const std::vector<Json> first = spans(TraceClock::Device);
  ASSERT_THAT(first, Not(IsEmpty()));
  const bool hasLayer = std::ranges::any_of(first, [](const Json &span) { return span["args"].contains("layer"); });
  EXPECT_TRUE(hasLayer);
  EXPECT_THAT(trace_.toJson(), HasSubstr("MAC array"));
  runOnce();
  const std::vector<Json> both = spans(TraceClock::Device);
  ASSERT_THAT(both, SizeIs(2 * first.size()));
  auto endOf = [](const Json &span) { return span["ts"].get<double>() + span["dur"].get<double>(); };
  double firstEnd = 0;
  for (const Json &span : first)
    firstEnd = std::max(firstEnd, endOf(span));
  for (size_t i = first.size(); i < both.size(); ++i)
    EXPECT_GE(both[i]["ts"].get<double>(), firstEnd) << both[i];
}

TEST_F(JobTraceTest, SlowClockStretchesSpans) {
  runOnce();
  const size_t number = spans(TraceClock::Device).size();
  ASSERT_GT(number, 0U);
  runOnce(ExecutionPreference::LowPower);
  const std::vector<Json> both = spans(TraceClock::Device);
  ASSERT_THAT(both, SizeIs(2 * number));
  for (size_t i = 0; i < number; ++i) {
    if (both[i]["args"].contains("command")) // the span of the job counts cycles of the default clock
      EXPECT_EQ(both[i + number]["args"]["cycles"], both[i]["args"]["cycles"]);
    EXPECT_NEAR(both[i + number]["dur"].get<double>(), 2.5 * both[i]["dur"].get<double>(), 0.01);
  }
}

TEST_F(JobTraceTest, DriverSpansShareTheTrace) {
  runOnce();
  const std::vector<Json> host = spans(TraceClock::Host);
  EXPECT_TRUE(std::ranges::any_of(host, [](const Json &span) { return span["name"] == "[NN_LD_PCO]run"; }));
}

TEST_F(JobTraceTest, WithoutOptionOnlyHostIsTraced) {
  open({});
  runOnce();
  EXPECT_THAT(spans(TraceClock::Device), IsEmpty());
  EXPECT_THAT(spans(TraceClock::Host), Not(IsEmpty()));
}

TEST_F(JobTraceTest, ProfileSinkStillReceivesJobs) {
  size_t numJobs = 0;
  DriverOptions options = tracing();
  options.profileSink = [&](const firmware::JobProfile &) { ++numJobs; };
  open(options);
  runOnce();
  EXPECT_EQ(numJobs, 1U);
  EXPECT_THAT(spans(TraceClock::Device), Not(IsEmpty()));
}

} // namespace
} // namespace avocet::hal
