//===- AsynchronousTest.cpp - Calls with callbacks --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using AsynchronousTest = DeviceFixture;

/// Counts its calls and passes the first outcome to the waiting thread.
struct OutcomeCallback {
  std::promise<ExecutionOutcome> promise;
  std::atomic<int> calls = 0;
  ExecutionCallback function() {
    return [this](const ExecutionOutcome &outcome) {
      if (calls++ == 0)
        promise.set_value(outcome);
    };
  }
};

TEST_F(AsynchronousTest, ExecutesAndCallsBackOnce) {
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  inputs.as<float>()[0] = 4;
  OutcomeCallback callback;
  EXPECT_EQ(prepared->executeAsynchronously(requestOf({8, 8}, {8}, inputs, outputs), {}, callback.function()),
            ErrorStatus::None);
  EXPECT_TRUE(callback.promise.get_future().get().isOk());
  EXPECT_EQ(outputs.as<float>()[0], 4);
  prepared.reset();
  device_.reset();
  EXPECT_EQ(callback.calls, 1);
}

TEST_F(AsynchronousTest, CallsBackForRefusedRequest) {
  auto prepared = prepare(addModel({2}));
  OutcomeCallback callback;
  EXPECT_EQ(prepared->executeAsynchronously({}, {}, callback.function()), ErrorStatus::InvalidArgument);
  EXPECT_EQ(callback.promise.get_future().get().status, ErrorStatus::InvalidArgument);
  EXPECT_EQ(callback.calls, 1);
}

TEST_F(AsynchronousTest, RefusesCallsAboveQueueLength) {
  DriverOptions options;
  options.maxQueuedCalls = 0;
  open(options);
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  OutcomeCallback callback;
  EXPECT_EQ(prepared->executeAsynchronously(requestOf({8, 8}, {8}, inputs, outputs), {}, callback.function()),
            ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(callback.calls, 1);
}

TEST_F(AsynchronousTest, PreparesAndKeepsNoReference) {
  std::promise<std::shared_ptr<IPreparedModel>> promise;
  ErrorStatus launched = device_->prepareModelAsynchronously(
      addModel({2}), {}, [&](ErrorStatus status, std::shared_ptr<IPreparedModel> prepared) {
        EXPECT_EQ(status, ErrorStatus::None);
        promise.set_value(std::move(prepared));
      });
  EXPECT_EQ(launched, ErrorStatus::None);
  std::shared_ptr<IPreparedModel> prepared = promise.get_future().get();
  ASSERT_NE(prepared, nullptr);
  // The idle watch may hold a reference for a moment; no object keeps one.
  for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       prepared.use_count() > 1 && std::chrono::steady_clock::now() < end;)
    std::this_thread::yield();
  EXPECT_EQ(prepared.use_count(), 1);
}

TEST_F(AsynchronousTest, CallsBackForInvalidModel) {
  Model model = addModel({2});
  model.main.operations[0].inputs[0] = 99;
  int calls = 0;
  ErrorStatus launched =
      device_->prepareModelAsynchronously(model, {}, [&](ErrorStatus status, std::shared_ptr<IPreparedModel> prepared) {
        EXPECT_EQ(status, ErrorStatus::InvalidArgument);
        EXPECT_EQ(prepared, nullptr);
        ++calls;
      });
  EXPECT_EQ(launched, ErrorStatus::InvalidArgument);
  EXPECT_EQ(calls, 1);
}

TEST_F(AsynchronousTest, CallbackMayReleaseLastReference) {
  auto prepared = std::make_shared<std::shared_ptr<IPreparedModel>>(prepare(addModel({2})));
  device_.reset();
  TestPool inputs(16), outputs(8);
  std::promise<void> done;
  IPreparedModel &model = **prepared;
  std::promise<void> mayGo;
  EXPECT_EQ(model.executeAsynchronously(requestOf({8, 8}, {8}, inputs, outputs), {},
                                        [&](const ExecutionOutcome &outcome) {
                                          mayGo.get_future().wait();
                                          EXPECT_TRUE(outcome.isOk());
                                          prepared->reset();
                                          done.set_value();
                                        }),
            ErrorStatus::None);
  mayGo.set_value();
  done.get_future().wait();
}

} // namespace
} // namespace avocet::hal
