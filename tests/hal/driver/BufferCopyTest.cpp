//===- BufferCopyTest.cpp - Copies into and out of buffers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferFixture.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;

class BufferCopyTest : public BufferFixture {};

TEST_F(BufferCopyTest, CopiesInAndOut) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  EXPECT_EQ(buffer->copyTo(result_.memory()).code(), ErrorStatus::GeneralFailure);
  ASSERT_TRUE(buffer->copyFrom(pool_.memory(), {}).isOk());
  EXPECT_THAT(read(*buffer), Each(1.f));
  EXPECT_TRUE(buffer->copyFrom(one_.memory(), {kExtent}).isOk());
}

TEST_F(BufferCopyTest, RefusesCopiesThatDoNotFit) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  TestPool small(kBytes - 1), large(kBytes + 1);
  EXPECT_EQ(buffer->copyFrom(small.memory(), {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(large.memory(), {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {kExtent - 1}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {2, 2}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {0}).code(), ErrorStatus::None)
      << "0 is an unknown extent, which the buffer defines";
  EXPECT_EQ(buffer->copyTo(small.memory()).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyTo(nullptr).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(nullptr, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(BufferCopyTest, ChecksAllKindsOfMemory) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  SharedHandle file = std::get<Ashmem>(pool_.memory()->handle).fd;
  auto copy = [&](MemoryHandle handle) {
    auto memory = std::make_shared<Memory>(Memory{std::move(handle)});
    return buffer->copyFrom(memory, {}).isOk() && buffer->copyTo(memory).isOk();
  };
  EXPECT_TRUE(copy(MappableFile{file, 0, kBytes, PROT_READ | PROT_WRITE}));
  EXPECT_TRUE(copy(HardwareBuffer{file, true, kBytes}));
  EXPECT_FALSE(copy(HardwareBuffer{file, false, 0}));
  EXPECT_FALSE(copy(MappableFile{file, 0, kBytes, PROT_READ}));
}

TEST_F(BufferCopyTest, FailedCopyLeavesBufferUninitialized) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  ASSERT_TRUE(buffer->copyFrom(pool_.memory(), {}).isOk());
  auto shortFile = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("short", 1)).value());
  auto memory = std::make_shared<Memory>(Memory{Ashmem{shortFile, kBytes}});
  EXPECT_EQ(buffer->copyFrom(memory, {}).code(), ErrorStatus::GeneralFailure);
  EXPECT_FALSE(isInitialized(*buffer));
}

} // namespace
} // namespace avocet::hal
