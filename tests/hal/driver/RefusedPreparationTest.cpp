//===- RefusedPreparationTest.cpp - Callbacks of refused preparations -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "avocet/hal/types/Utils.h"

#include <atomic>
#include <functional>
#include <future>

namespace avocet::hal {
namespace {

using namespace testing;

/// A preparation with one fault.
struct Fault {
  const char *name;
  ErrorStatus expected;
  std::function<void(Model &, PrepareOptions &)> apply;
};

void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.name; }

/// Counts the calls of a callback and keeps the first status.
class Callback {
public:
  PreparedModelCallback function() {
    return [this](ErrorStatus status, const std::shared_ptr<IPreparedModel> &prepared) {
      EXPECT_EQ(prepared, nullptr);
      if (calls_++ == 0)
        status_.set_value(status);
    };
  }
  ErrorStatus status() { return status_.get_future().get(); }
  int calls() const { return calls_; }

private:
  std::promise<ErrorStatus> status_;
  std::atomic<int> calls_ = 0;
};

class RefusedPreparationTest : public DeviceFixture, public ::testing::WithParamInterface<Fault> {
protected:
  /// Launches a preparation with the fault. The returned status; the callback's is `called`.
  ErrorStatus launch(const Fault &fault, ErrorStatus &called) {
    Model model = addModel({2});
    PrepareOptions options;
    fault.apply(model, options);
    Callback callback;
    const ErrorStatus returned = device_->prepareModelAsynchronously(model, options, callback.function());
    called = callback.status();
    device_.reset();
    driver_.reset(); // ends the threads that could call again
    EXPECT_EQ(callback.calls(), 1);
    return returned;
  }
};

TEST_P(RefusedPreparationTest, CallsBackOnceWithReturnedStatus) {
  ErrorStatus called = ErrorStatus::None;
  EXPECT_EQ(launch(GetParam(), called), GetParam().expected);
  EXPECT_EQ(called, GetParam().expected);
}

const Fault kFaults[] = {
    {"BrokenModel", ErrorStatus::InvalidArgument, [](Model &model, auto &) { model.main.outputIndexes = {2}; }},
    {"UnknownPriority", ErrorStatus::InvalidArgument,
     [](auto &, PrepareOptions &options) { options.priority = static_cast<Priority>(3); }},
    {"UnknownPreference", ErrorStatus::InvalidArgument,
     [](auto &, PrepareOptions &options) { options.preference = static_cast<ExecutionPreference>(-1); }},
    {"NegativeDeadline", ErrorStatus::InvalidArgument,
     [](auto &, PrepareOptions &options) { options.deadline = TimePoint(Duration(-2)); }},
    {"RepeatedHint", ErrorStatus::InvalidArgument,
     [](auto &, PrepareOptions &options) { options.hints = {{1, {}}, {1, {}}}; }},
    {"UnusablePool", ErrorStatus::GeneralFailure,
     [](Model &model, auto &) {
       model.pools = {std::make_shared<const Memory>(Memory{UnknownHandle{"strange", {}, {}, 12}})};
     }},
};
INSTANTIATE_TEST_SUITE_P(Faults, RefusedPreparationTest, ::testing::ValuesIn(kFaults),
                         [](const auto &info) { return info.param.name; });

/// These are found after the launch, which may have returned success.
TEST_F(RefusedPreparationTest, LaterErrorsReachTheCallback) {
  const Fault faults[] = {
      {"UnsupportedOperation", ErrorStatus::GeneralFailure,
       [](Model &model, auto &) {
         model.extensionNameToPrefix = {{"com.example.unknown", 1}};
         model.main.operations[0].type = extensionOperation(1, 0);
       }},
      {"PassedDeadline", ErrorStatus::MissedDeadlinePersistent,
       [](auto &, PrepareOptions &options) { options.deadline = BootClock::now(); }},
  };
  for (const Fault &fault : faults) {
    open({});
    ErrorStatus called = ErrorStatus::None;
    const ErrorStatus returned = launch(fault, called);
    EXPECT_TRUE(returned == ErrorStatus::None || returned == fault.expected) << fault.name;
    EXPECT_EQ(called, fault.expected) << fault.name;
  }
}

} // namespace
} // namespace avocet::hal
