//===- StagedWorkerTest.cpp - Compile workers in the background -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "FakeCompiler.h"
#include "device/BackgroundWork.h"

#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

class StagedWorkerTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    WorkerOptions workers;
    workers.compilerLibrary = AVOCET_FAKE_COMPILER;
    auto started = CompileWorkers::start(workers);
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    DriverOptions options = cachingOptions();
    options.compileWorkers = *started;
    options.staged = true;
    open(options);
  }
  std::shared_ptr<IPreparedModel> prepareFor(FakeBehavior behavior, const PrepareOptions &options = {}) {
    return prepare(addModel({static_cast<uint32_t>(behavior)}), options);
  }
  void expectSum(IPreparedModel &model, FakeBehavior behavior) {
    const uint64_t bytes = static_cast<uint64_t>(behavior) * sizeof(float);
    TestPool inputs(2 * bytes), outputs(bytes);
    std::ranges::fill(inputs.as<float>(), 2.0f);
    EXPECT_TRUE(model.execute(requestOf({bytes, bytes}, {bytes}, inputs, outputs), {}).isOk());
    EXPECT_EQ(outputs.as<float>().back(), 4.0f);
  }
  /// Waits until the counter has this value.
  void await(uint64_t DriverCounters::*counter, uint64_t value) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (driver_->counters().*counter != value && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(driver_->counters().*counter, value);
  }
};

TEST_F(StagedWorkerTest, CrashLeavesFirstProgram) {
  auto model = prepareFor(FakeBehavior::CrashAboveLevel0);
  ASSERT_NE(model, nullptr);
  await(&DriverCounters::improvementsFailed, 1);
  EXPECT_EQ(driver_->counters().compilerCrashes, 1u);
  expectSum(*model, FakeBehavior::CrashAboveLevel0);
  auto other = prepare(addModel({4}));
  await(&DriverCounters::improvements, 1);
}

TEST_F(StagedWorkerTest, FirstAnswerDoesNotWait) {
  auto model = prepareFor(FakeBehavior::HangAboveLevel0);
  ASSERT_NE(model, nullptr);
  expectSum(*model, FakeBehavior::HangAboveLevel0);
  EXPECT_EQ(driver_->counters().improvements, 0u);
}

/// There is one thread: the other model's program follows only if the endless compilation ends.
TEST_F(StagedWorkerTest, CompilationEndsWithItsModel) {
  auto model = prepareFor(FakeBehavior::HangAboveLevel0);
  auto other = prepare(addModel({4}));
  ASSERT_TRUE(model && other);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(driver_->counters().improvements, 0u);
  model.reset();
  await(&DriverCounters::improvements, 1);
  EXPECT_EQ(driver_->counters().improvementsFailed, 0u);
}

TEST_F(StagedWorkerTest, CompilationEndsWithItsClient) {
  std::shared_ptr<ClientDevice> client = connect({});
  auto model = client->prepareModel(addModel({static_cast<uint32_t>(FakeBehavior::HangAboveLevel0)}), {});
  auto other = prepare(addModel({4}));
  ASSERT_TRUE(model.isOk() && other);
  client->abandon();
  await(&DriverCounters::improvements, 1);
}

TEST_F(StagedWorkerTest, RefusalOfFirstLevelIsNoAnswer) {
  auto model = prepareFor(FakeBehavior::RefuseLevel0);
  ASSERT_NE(model, nullptr);
  expectSum(*model, FakeBehavior::RefuseLevel0);
  auto other = prepare(addModel({4}));
  await(&DriverCounters::improvements, 1); // of the other one, the later of the two
}

TEST_F(StagedWorkerTest, QueueOfClientIsBounded) {
  auto first = prepareFor(FakeBehavior::HangAboveLevel0);
  ASSERT_NE(first, nullptr);
  std::vector<std::shared_ptr<IPreparedModel>> models;
  for (size_t i = 0; i < BackgroundWork::kMaxTasksOfClient + 1; ++i)
    models.push_back(prepare(addModel({4})));
  EXPECT_EQ(driver_->counters().improvementsFailed, 2u);
  std::shared_ptr<IDevice> other = connect({});
  EXPECT_TRUE(other->prepareModel(addModel({4}), {}).isOk());
  EXPECT_EQ(driver_->counters().improvementsFailed, 2u) << "another client has places of its own";
}

/// The process ends before the better program is compiled. A later one continues from the files.
TEST_F(StagedWorkerTest, LaterProcessFinishesFiles) {
  ASSERT_NE(prepareFor(FakeBehavior::HangAboveLevel0, withCache()), nullptr);
  device_.reset();
  driver_.reset();
  DriverOptions options = cachingOptions(); // the compiler in this process, which does not hang
  options.staged = true;
  open(options);
  auto model = loadModel(files_);
  ASSERT_NE(model, nullptr);
  expectSum(*model, FakeBehavior::HangAboveLevel0);
  await(&DriverCounters::improvements, 1);
  expectSum(*model, FakeBehavior::HangAboveLevel0);
  model = nullptr;
  device_.reset();
  driver_.reset();
  open(options);
  model = loadModel(files_);
  ASSERT_NE(model, nullptr);
  expectSum(*model, FakeBehavior::HangAboveLevel0);
  EXPECT_EQ(driver_->counters().improvements, 0u) << "the files are complete";
}

TEST_F(StagedWorkerTest, RejectsLevelsThatSimulate) {
  WorkerOptions workers;
  workers.compilerLibrary = AVOCET_FAKE_COMPILER;
  DriverOptions options;
  options.compileWorkers = *CompileWorkers::start(workers);
  options.optimize = 2;
  EXPECT_EQ(Driver::open(options).code(), ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal
