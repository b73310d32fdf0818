//===- BufferTest.cpp - Buffers that the driver allocates: tokens, roles, limits -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferFixture.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;

class BufferTokenTest : public BufferFixture {};

TEST_F(BufferTokenTest, TokensAreNeverReused) {
  std::shared_ptr<IBuffer> first = allocateState();
  BufferToken token = first->token();
  EXPECT_GT(static_cast<uint32_t>(token), 0u);
  first.reset();
  std::shared_ptr<IBuffer> second = allocateState();
  EXPECT_NE(second->token(), token);
  EXPECT_EQ(driver_->counters().buffers, 1u);
}

TEST_F(BufferTokenTest, RefusesForeignModelsAndInvalidRoles) {
  std::shared_ptr<IDevice> other = connect({});
  EXPECT_EQ(other->allocate({}, {role(0)}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {{nullptr, 0, 1}}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {role(2)}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {}, {role(1)}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({kExtent + 1}, {role(0)}, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(BufferTokenTest, RefusesUseOutsideRoles) {
  std::shared_ptr<IBuffer> first = allocate({role(0)}, {}), second = allocate({role(1)}, {}), state = allocateState();
  ASSERT_TRUE(second->copyFrom(pool_.memory(), {}).isOk());
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  EXPECT_EQ(statusOf(requestOf(second, nullptr)), ErrorStatus::InvalidArgument) << "another index";
  EXPECT_EQ(statusOf(requestOf(nullptr, first)), ErrorStatus::InvalidArgument) << "another direction";
  EXPECT_EQ(statusOf(requestOf(state, state)), ErrorStatus::InvalidArgument) << "input and output";
  std::shared_ptr<IPreparedModel> other = prepare(addModel({kExtent}));
  EXPECT_EQ(other->execute(requestOf(state, nullptr), {}).status, ErrorStatus::InvalidArgument) << "another model";
  Request twice = requestOf(state, nullptr);
  twice.inputs[1] = whole(0, 0);
  EXPECT_EQ(statusOf(twice), ErrorStatus::None) << "twice as input";
  EXPECT_THAT(result_.as<float>(), Each(2.f));
  twice.inputs[1] = whole(1, 0);
  twice.pools[1] = state->token();
  EXPECT_EQ(statusOf(twice), ErrorStatus::None) << "the same token in two pools";
}

TEST_F(BufferTokenTest, RefusesTokensOfOtherClients) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  Request request = requestOf(state, nullptr);
  std::shared_ptr<IDevice> stranger = connect({});
  Result<std::shared_ptr<IPreparedModel>> theirs = stranger->prepareModel(addModel({kExtent}), {});
  ASSERT_TRUE(theirs.isOk());
  EXPECT_EQ((*theirs)->execute(request, {}).status, ErrorStatus::InvalidArgument);
  state.reset();
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument) << "the buffer is gone";
}

TEST_F(BufferTokenTest, RefusesLocationsAndOtherDimensions) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  Request request = requestOf(state, nullptr);
  request.inputs[0].location.length = kBytes;
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
  request = requestOf(state, nullptr);
  request.inputs[0].dimensions = {kExtent + 1};
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
  request = requestOf(nullptr, state);
  request.outputs[0].dimensions = {kExtent + 1};
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
}

TEST_F(BufferTokenTest, BufferOutlivesItsModel) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  model_.reset();
  EXPECT_THAT(read(*state), Each(1.f));
}

TEST_F(BufferTokenTest, AllocationReleasesKeptPools) {
  ClientQuotas quotas;
  quotas.memoryBytes = 3 << 16;
  device_ = connect(quotas);
  model_ = prepare(addModel({kExtent}));
  std::shared_ptr<IPreparedModel> large = prepare(addModel({1 << 15}));
  TestPool kept(1 << 16);
  Request request = requestOf(nullptr, nullptr);
  request.pools[2] = kept.memory();
  ASSERT_EQ(statusOf(request), ErrorStatus::None);
  // The other model's pools are kept for its next run only, so the driver may release them.
  EXPECT_TRUE(device_->allocate({}, {{large, 0, 1}}, {}).isOk());
  EXPECT_EQ(statusOf(request), ErrorStatus::None);
}

TEST_F(BufferTokenTest, RejectsBuffersAboveLimit) {
  ClientQuotas quotas;
  quotas.buffers = 2;
  quotas.memoryBytes = 1 << 16;
  device_ = connect(quotas);
  model_ = prepare(addModel({kExtent}));
  auto first = allocateState(), second = allocateState();
  EXPECT_EQ(device_->allocate({}, {role(0)}, {}).code(), ErrorStatus::ResourceExhaustedTransient);
  second.reset();
  EXPECT_TRUE(device_->allocate({}, {role(0)}, {}).isOk());
  std::shared_ptr<IPreparedModel> large = prepare(addModel({1 << 15}));
  EXPECT_EQ(device_->allocate({}, {{large, 0, 1}}, {}).code(), ErrorStatus::ResourceExhaustedPersistent);
}

} // namespace
} // namespace avocet::hal
