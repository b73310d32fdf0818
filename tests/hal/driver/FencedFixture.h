//===- FencedFixture.h - Fenced executions in tests -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_FENCEDFIXTURE_H
#define AVOCET_TESTS_HAL_DRIVER_FENCEDFIXTURE_H

#include "DeviceFixture.h"
#include "DeviceGate.h"
#include "FakeClock.h"
#include "ObservedBackend.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal::testing {

/// An event descriptor as a fence of another component.
class ForeignFence {
public:
  ForeignFence() : event_(std::make_shared<const FileDescriptor>(FileDescriptor(::eventfd(0, EFD_CLOEXEC)))) {}
  SyncFence fence() const { return *SyncFence::adopt(event_); }
  void signal() {
    const uint64_t one = 1;
    EXPECT_EQ(::write(event_->get(), &one, sizeof(one)), ssize_t(sizeof(one)));
  }

private:
  SharedHandle event_;
};

/// A fence that the test signals or fails.
struct FailingFence {
  FailingFence() {
    auto made = FenceSignaler::create();
    EXPECT_TRUE(made.isOk());
    fence = made->first;
    signaler = std::make_unique<FenceSignaler>(std::move(made->second));
  }
  SyncFence fence;
  std::unique_ptr<FenceSignaler> signaler;
};

/// output = input + constant over pools of one page each, so that a chain of them passes values on.
class FencedFixture : public DeviceFixture {
protected:
  static constexpr uint32_t kCount = 1024; ///< floats: one page

  void SetUp() override {
    DriverOptions options;
    options.backend = observedBackend(observer_);
    options.clock = clock_.function();
    options.profileSink = gate_.profileSink();
    open(options);
    ASSERT_NE(device_, nullptr);
    model_ = prepare(addConstantModel(std::vector<float>(kCount, 1)));
    ASSERT_NE(model_, nullptr);
  }

  /// output = input + 1.
  static Request step(const TestPool &input, const TestPool &output) {
    return requestOf({kCount * 4}, {kCount * 4}, input, output);
  }

  FencedLaunch launch(const Request &request, const std::vector<SyncFence> &waitFor,
                      const FencedOptions &options = {}) {
    auto launched = model_->executeFenced(request, waitFor, options);
    EXPECT_TRUE(launched.isOk()) << launched.error().message;
    return launched ? *launched : FencedLaunch{};
  }

  static FenceState end(const FencedLaunch &launch) { return launch.fence.wait(std::nullopt); }
  static ErrorStatus codeOf(const FencedLaunch &launch) { return launch.info->executionInfo().code(); }

  /// Releases the device before the observer, which must outlive it.
  void TearDown() override {
    gate_.open();
    model_.reset();
    device_.reset();
    driver_.reset();
  }

  FakeClock clock_;
  Observer observer_;
  DeviceGate gate_;
  std::shared_ptr<IPreparedModel> model_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_FENCEDFIXTURE_H
