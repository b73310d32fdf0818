//===- DeviceTest.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "TestDevice.h"
#include "TestModels.h"

#include <gmock/gmock.h>

#include <unistd.h>

namespace avocet::hal::test {
namespace {

using ::testing::HasSubstr;

using CachedModels = CapiTest;

TEST_F(CachedModels, AreReadFromTheirFiles) {
  const CacheFiles cache = emptyCacheFiles(*device_);
  ASSERT_NE(prepare(chain(), cache), nullptr);
  auto cached = device_->prepareModelFromCache({}, cache);
  ASSERT_TRUE(cached.isOk()) << cached.error().message;
  Buffers buffers({{1, -2, 3, 0}}, {kLength * sizeof(float)});
  ASSERT_TRUE((*cached)->execute(buffers.request(), {}).isOk());
  EXPECT_EQ(buffers.output(), (std::vector<float>{2, 0, 18, 0}));
}

TEST_F(CachedModels, MustNotBeCompiledAgain) {
  const CacheFiles cache = emptyCacheFiles(*device_);
  ASSERT_NE(prepare(chain(), cache), nullptr);
  ASSERT_EQ(::ftruncate(cache.modelCache.front()->get(), 0), 0);
  auto cached = device_->prepareModelFromCache({}, cache);
  ASSERT_EQ(cached.code(), ErrorStatus::GeneralFailure);
  EXPECT_THAT(cached.error().message, HasSubstr("compiled the model again"));
}

TEST_F(CachedModels, MustHaveBeenPrepared) {
  EXPECT_EQ(device_->prepareModelFromCache({}, emptyCacheFiles(*device_)).code(), ErrorStatus::GeneralFailure);
  const CacheFiles cache = emptyCacheFiles(*device_);
  ASSERT_NE(prepare(chain(), cache), nullptr);
  EXPECT_EQ(device_->prepareModelFromCache({}, emptyCacheFiles(*device_)).code(), ErrorStatus::GeneralFailure)
      << "the same token with other files";
}

using DeviceBuffers = CapiTest;

TEST_F(DeviceBuffers, CarryValuesBetweenExecutions) {
  auto model = prepare(chain());
  auto input = device_->allocate({}, {{model, 0, 1}}, {});
  auto output = device_->allocate({}, {}, {{model, 0, 1}});
  ASSERT_TRUE(input.isOk() && output.isOk());
  Buffers values({{1, 2, 3, 4}}, {kLength * sizeof(float)});
  const SharedMemory empty = ashmem(kLength * sizeof(float));
  EXPECT_EQ((*output)->copyTo(empty).code(), ErrorStatus::GeneralFailure) << "nothing was written yet";

  Request request = values.request();
  request.inputs[0].location = {};
  request.inputs[0].location.poolIndex = 1;
  request.pools.emplace_back((*input)->token());
  EXPECT_EQ(model->execute(request, {}).status, ErrorStatus::GeneralFailure) << "the input has no value";
  ASSERT_TRUE((*input)->copyFrom(empty, {}).isOk());
  const ExecutionOutcome outcome = model->execute(request, {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(values.output(), std::vector<float>(kLength, 0));
}

TEST_F(DeviceBuffers, EndWithTheirTokens) {
  auto model = prepare(chain());
  Buffers values({{1, 2, 3, 4}}, {kLength * sizeof(float)});
  Request request = values.request();
  {
    auto buffer = device_->allocate({}, {{model, 0, 1}}, {});
    ASSERT_TRUE(buffer.isOk());
    request.pools[0] = (*buffer)->token();
  }
  const ExecutionOutcome outcome = model->execute(request, {});
  EXPECT_EQ(outcome.status, ErrorStatus::InvalidArgument);
  EXPECT_THAT(outcome.message, HasSubstr("pool 0 names no buffer of this device"));
}

TEST_F(DeviceBuffers, NeedRolesOfTheirDevice) {
  EXPECT_EQ(device_->allocate({}, {}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {{nullptr, 0, 1}}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {{prepare(chain()), 5, 1}}, {}).code(), ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal::test
