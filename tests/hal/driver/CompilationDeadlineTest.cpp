//===- CompilationDeadlineTest.cpp - Deadlines that pass while the compiler runs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <atomic>
#include <limits>

namespace avocet::hal {
namespace {

using namespace testing;

/// A clock that stands still and jumps one hour ahead at its n-th reading. The readings of the call under test are the
/// points at which a deadline can pass, and no real time is involved. Copies are the same clock.
class JumpingClock {
public:
  std::function<TimePoint()> function() const {
    return [state = state_] { return TimePoint(++state->looks < state->jumpAt ? kStart : kStart + kJump); };
  }
  /// Sets the reading, counted from now on, that is the first to return the later time.
  void jumpAt(int64_t look) {
    state_->looks = 0;
    state_->jumpAt = look;
  }
  void stay() { jumpAt(std::numeric_limits<int64_t>::max()); }

  static constexpr Duration kStart = std::chrono::hours(1), kJump = std::chrono::hours(1);
  /// Far ahead before the jump, long past after it.
  static constexpr TimePoint kDeadline = TimePoint(kStart + std::chrono::minutes(1));

private:
  struct State {
    std::atomic<int64_t> looks{0};
    std::atomic<int64_t> jumpAt{std::numeric_limits<int64_t>::max()};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

constexpr int64_t kMostLooks = 2000;

class CompilationDeadlineTest : public DeviceFixture {
protected:
  void SetUp() override {
    DriverOptions options;
    options.clock = clock_.function();
    open(options);
    // Loads the library and fills its caches, so that all later readings belong to the compilation.
    ASSERT_NE(prepare(addModel({2})), nullptr);
  }

  /// Lets the deadline pass at each reading in turn, until it passes inside the compiler. False if it never does.
  template <typename Call> bool overtakes(Call &&call) {
    for (int64_t look = 1; look < kMostLooks; ++look) {
      clock_.jumpAt(look);
      const Error error = call();
      if (error.code == ErrorStatus::None)
        return false; // the call ends before this reading
      const bool isMissed =
          error.code == ErrorStatus::MissedDeadlineTransient || error.code == ErrorStatus::MissedDeadlinePersistent;
      EXPECT_TRUE(isMissed) << "at look " << look << ": " << error.message;
      if (error.message.find("while the model was compiled") != std::string::npos)
        return error.code == ErrorStatus::MissedDeadlineTransient;
    }
    return false;
  }

  JumpingClock clock_;
};

TEST_F(CompilationDeadlineTest, EndsPreparationInsideCompiler) {
  PrepareOptions options;
  options.deadline = JumpingClock::kDeadline;
  EXPECT_TRUE(overtakes([&] {
    auto prepared = device_->prepareModel(addModel({4}), options);
    return prepared ? Error{ErrorStatus::None, {}} : prepared.error();
  }));
  clock_.stay();
  EXPECT_TRUE(device_->prepareModel(addModel({4}), options).isOk()) << "the compiler stays usable";
}

TEST_F(CompilationDeadlineTest, EndsCompilationForShapesOfRequest) {
  auto model = prepare(addModel({0}));
  ASSERT_NE(model, nullptr);
  TestPool inputs(32), outputs(16);
  Request request = requestOf({16, 16}, {16}, inputs, outputs);
  request.inputs[0].dimensions = request.inputs[1].dimensions = {4};
  ExecutionOptions options;
  options.deadline = JumpingClock::kDeadline;
  EXPECT_TRUE(overtakes([&] {
    const ExecutionOutcome outcome = model->execute(request, options);
    return Error{outcome.status, outcome.message};
  }));
  clock_.stay();
  inputs.as<float>()[3] = 2;
  ASSERT_TRUE(model->execute(request, options).isOk()) << "the same shapes are compiled again";
  EXPECT_EQ(outputs.as<float>()[3], 2);
}

TEST_F(CompilationDeadlineTest, DoesNotEndOtherClientsCompilations) {
  std::shared_ptr<IDevice> other = connect({});
  PrepareOptions options;
  options.deadline = JumpingClock::kDeadline;
  clock_.jumpAt(1);
  EXPECT_FALSE(device_->prepareModel(addModel({8}), options).isOk());
  EXPECT_TRUE(other->prepareModel(addModel({8}), {}).isOk()) << "no deadline";
}

} // namespace
} // namespace avocet::hal
