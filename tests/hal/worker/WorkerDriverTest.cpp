//===- WorkerDriverTest.cpp - A device with compile workers -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "FakeCompiler.h"

#include "avocet/hal/types/Result.h"

#include <gmock/gmock.h>
#include <numeric>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerDriverTest : public DeviceFixture {
protected:
  void SetUp() override {
    WorkerOptions workers;
    workers.compilerLibrary = AVOCET_FAKE_COMPILER;
    auto started = CompileWorkers::start(workers);
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    DriverOptions options;
    options.compileWorkers = *started;
    open(options);
  }
  Error refusalOf(FakeBehavior behavior, const PrepareOptions &options = {}) {
    auto prepared = device_->prepareModel(addModel({static_cast<uint32_t>(behavior)}), options);
    EXPECT_FALSE(prepared.isOk());
    return prepared ? Error() : prepared.error();
  }
  void expectSum(const std::shared_ptr<IPreparedModel> &prepared) {
    TestPool inputs{32}, outputs{16};
    std::iota(inputs.as<float>().begin(), inputs.as<float>().end(), 1.0f);
    Request request = requestOf({16, 16}, {16}, inputs, outputs);
    request.inputs[0].dimensions = request.inputs[1].dimensions = {4};
    const ExecutionOutcome outcome = prepared->execute(request, {});
    EXPECT_EQ(outcome.status, ErrorStatus::None);
    EXPECT_THAT(outputs.as<float>(), ElementsAre(6, 8, 10, 12));
  }
};

TEST_F(WorkerDriverTest, PreparesAndExecutes) { expectSum(prepare(addModel({4}))); }

TEST_F(WorkerDriverTest, CompilesAtExecutionForShapes) { expectSum(prepare(addModel({0}))); }

TEST_F(WorkerDriverTest, CrashFailsOnePreparation) {
  auto other = prepare(addModel({4}));
  EXPECT_EQ(refusalOf(FakeBehavior::Crash).code, ErrorStatus::GeneralFailure);
  expectSum(other);
  expectSum(prepare(addModel({4})));
}

TEST_F(WorkerDriverTest, InternalErrorIsLoggedAndCounted) {
  const uint64_t before = compilerErrors();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(refusalOf(FakeBehavior::Descriptors).code, ErrorStatus::GeneralFailure);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(compilerErrors(), before + 1);
  EXPECT_THAT(log, HasSubstr("error: driver: internal error of the compiler (compilation for e256): 6 descriptors"));
  expectSum(prepare(addModel({4})));
  EXPECT_EQ(compilerErrors(), before + 1);
}

TEST_F(WorkerDriverTest, SupportQuerySurvivesCrash) {
  auto answer = device_->getSupportedOperations(addModel({static_cast<uint32_t>(FakeBehavior::Abort)}));
  ASSERT_TRUE(answer.isOk()) << answer.error().message;
  EXPECT_THAT(answer->supported, ElementsAre(false));
}

TEST_F(WorkerDriverTest, DeadlineEndsEndlessCompilation) {
  PrepareOptions options;
  options.deadline = BootClock::now() + std::chrono::milliseconds(100);
  EXPECT_EQ(refusalOf(FakeBehavior::Hang, options).code, ErrorStatus::MissedDeadlineTransient);
  expectSum(prepare(addModel({4})));
}

TEST_F(WorkerDriverTest, AbandonEndsEndlessCompilation) {
  auto client = connect({});
  std::jthread gone([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    client->abandon();
  });
  auto prepared = client->prepareModel(addModel({static_cast<uint32_t>(FakeBehavior::Hang)}), {});
  ASSERT_FALSE(prepared.isOk());
  EXPECT_THAT(prepared.error().message, HasSubstr("the client has disconnected"));
}

} // namespace
} // namespace avocet::hal
