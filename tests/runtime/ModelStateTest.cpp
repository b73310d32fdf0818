//===- ModelStateTest.cpp - Tensors that outlive a run ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/ModelState.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace avocet::runtime::test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr uint32_t kBytes = 64;

/// The copy model whose output is the next value of a state: the input of the last run.
cache::ModelDescription historyModel() {
  cache::ModelDescription model = copyModel(*testTarget(), kBytes);
  cache::Operand state = model.outputs[0];
  state.name = "last";
  model.outputs = {state};
  state.isState = true;
  state.initial.assign(kBytes, 7);
  model.inputs.push_back(state);
  model.regions.push_back({cache::RegionKind::Input, 1, kBytes});
  return model;
}

/// A job whose only output is the next value of its state.
class ModelStateTest : public testing::Test {
protected:
  void SetUp() override {
    registerSimBackend();
    BackendOptions options;
    options.target = testTarget();
    device_ = Device::open("sim", options).value();
    context_ = Context::create(device_).value();
    queue_ = Queue::create(context_).value();
    executable_ = load();
    job_ = Job::create(executable_).value();
    state_ = ModelState::create(executable_).value();
    input_ = context_->map(Buffer::create(device_, kBytes).value(), Access::Read).value();
    ASSERT_TRUE(job_->bindInput(0, input_).isOk());
    ASSERT_TRUE(state_->bind(*job_).isOk());
  }

  std::shared_ptr<const Executable> load() {
    auto model = cache::ModelCache::adopt(cache::writeModelCache(historyModel()).value(), "test");
    return Executable::load(context_, model.value(), *cache::DataCache::fromBytes(std::vector<uint8_t>()).value())
        .value();
  }

  void run(uint8_t value) {
    std::ranges::fill(input_->buffer()->bytes(), value);
    ASSERT_TRUE(queue_->run(*job_).isOk());
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<const Executable> executable_;
  std::unique_ptr<Job> job_;
  std::unique_ptr<ModelState> state_;
  std::shared_ptr<BufferMapping> input_;
};

TEST_F(ModelStateTest, StartsWithInitialValue) {
  ASSERT_EQ(state_->count(), 1u);
  EXPECT_EQ(state_->description(0).name, "last");
  EXPECT_THAT(state_->bytes(0), Each(7));
}

TEST_F(ModelStateTest, AdvanceMakesTheOutputCurrent) {
  run(1);
  EXPECT_THAT(state_->bytes(0), Each(7)) << "a run without advance() changes nothing";
  ASSERT_TRUE(state_->advance(*job_).isOk());
  EXPECT_THAT(state_->bytes(0), Each(1));
  run(2);
  ASSERT_TRUE(state_->advance(*job_).isOk());
  EXPECT_THAT(state_->bytes(0), Each(2));
}

TEST_F(ModelStateTest, ResetRestoresInitialValue) {
  run(1);
  ASSERT_TRUE(state_->advance(*job_).isOk());
  state_->reset();
  EXPECT_THAT(state_->bytes(0), Each(7));
}

TEST_F(ModelStateTest, FindsStatesByName) {
  EXPECT_EQ(state_->find("last").value(), 0u);
  const Status missing = state_->find("first").status();
  EXPECT_EQ(missing.code(), StatusCode::NotFound);
  EXPECT_THAT(missing.message(), HasSubstr("the model has no state 'first'; it has 'last'"));
}

TEST_F(ModelStateTest, JobWithoutStatesCannotRun) {
  auto job = Job::create(executable_).value();
  ASSERT_TRUE(job->bindInput(0, input_).isOk());
  EXPECT_EQ(queue_->run(*job).code(), StatusCode::FailedPrecondition);
}

TEST_F(ModelStateTest, RefusesJobOfAnotherExecutable) {
  auto other = Job::create(load()).value();
  EXPECT_EQ(state_->bind(*other).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(state_->advance(*other).code(), StatusCode::InvalidArgument);
  EXPECT_THAT(state_->bytes(0), Each(7)) << "a refused advance() changes nothing";
  EXPECT_EQ(ModelState::create(nullptr).status().code(), StatusCode::InvalidArgument);
}

} // namespace
} // namespace avocet::runtime::test
