//===- FlexibleBufferTest.cpp - Buffers with initially unknown extents ----===//
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
using ::testing::ElementsAre;

/// output = input0 + input1 of any extent.
class FlexibleBufferTest : public BufferFixture {
protected:
  void SetUp() override {
    BufferFixture::SetUp();
    model_ = prepare(addModel({0}));
    ASSERT_NE(model_, nullptr);
  }
  Request requestFor(const std::shared_ptr<IBuffer> &input, const std::shared_ptr<IBuffer> &output, uint32_t extent) {
    Request request;
    uint64_t bytes = extent * sizeof(float);
    request.inputs = {whole(0, input ? 0 : bytes, {extent}), whole(1, bytes, {extent})};
    request.outputs = {whole(2, output ? 0 : bytes)};
    request.pools = {poolOf(input, large_), large_.memory(), poolOf(output, largeResult_)};
    return request;
  }
  TestPool large_{1 << 16}, largeResult_{1 << 16};
};

TEST_F(FlexibleBufferTest, GrowsWithOutput) {
  std::ranges::fill(large_.as<float>(), 2.f);
  std::shared_ptr<IBuffer> state = allocateState();
  for (uint32_t extent : {3u, 4000u, 5u}) {
    ExecutionOutcome outcome = model_->execute(requestFor(nullptr, state, extent), {});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(extent));
    EXPECT_THAT(read(*state, extent), Each(4.f));
    EXPECT_EQ(statusOf(requestFor(state, nullptr, extent)), ErrorStatus::None);
    EXPECT_EQ(statusOf(requestFor(state, nullptr, extent + 1)), ErrorStatus::InvalidArgument);
  }
}

TEST_F(FlexibleBufferTest, CopySetsExtent) {
  std::shared_ptr<IBuffer> state = allocateState();
  EXPECT_EQ(state->copyFrom(pool_.memory(), {}).code(), ErrorStatus::InvalidArgument);
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {kExtent}).isOk());
  EXPECT_EQ(statusOf(requestFor(state, nullptr, kExtent)), ErrorStatus::None);
  EXPECT_EQ(state->copyFrom(large_.memory(), {kExtent}).code(), ErrorStatus::InvalidArgument);
  EXPECT_THAT(read(*state), Each(1.f)) << "a refused copy changes nothing";
}

TEST_F(FlexibleBufferTest, FixedExtentRefusesOtherSizes) {
  std::shared_ptr<IBuffer> fixed = allocate({}, {role(0)}, {kExtent});
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent)), ErrorStatus::None);
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent + 1)), ErrorStatus::GeneralFailure);
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent - 1)), ErrorStatus::GeneralFailure);
}

TEST_F(FlexibleBufferTest, ReleasesOutgrownMemory) {
  std::shared_ptr<IBuffer> state = allocateState();
  auto runAll = [&] {
    for (uint32_t extent : {10u, 4000u, 100u})
      ASSERT_EQ(statusOf(requestFor(nullptr, state, extent)), ErrorStatus::None);
  };
  runAll();
  uint64_t held = driver_->counters().memoryBytes;
  runAll();
  EXPECT_EQ(driver_->counters().memoryBytes, held);
  state.reset();
  EXPECT_LE(driver_->counters().memoryBytes, held - 4000 * sizeof(float));
  EXPECT_EQ(driver_->counters().buffers, 0u);
}

} // namespace
} // namespace avocet::hal
