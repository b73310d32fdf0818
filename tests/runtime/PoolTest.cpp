//===- PoolTest.cpp - Imported memory of other owners -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

#include <fcntl.h>
#include <unistd.h>

namespace avocet::runtime::test {
namespace {

constexpr uint64_t kPage = kPageBytes;

/// A memory file of some pages, each filled with its number + 1.
struct Pool {
  explicit Pool(size_t pages) : file(createMemoryFile("pool", pages * kPage).value()) {
    memory = Mapping::map(file.get(), pages * kPage, Mapping::Access::ReadWrite).value();
    for (size_t page = 0; page < pages; ++page)
      std::ranges::fill(memory.bytes().subspan(page * kPage, kPage), static_cast<uint8_t>(page + 1));
  }
  FileDescriptor file;
  Mapping memory;
};

class PoolTest : public testing::Test {
protected:
  std::shared_ptr<BufferMapping> import(const Pool &pool, uint64_t offset, uint64_t bytes, Access access) {
    auto buffer = Buffer::import(device_, pool.file, offset, bytes, access != Access::Read);
    EXPECT_TRUE(buffer.isOk()) << buffer.status().toString();
    return client_.context->map(*buffer, access).value();
  }

  std::shared_ptr<Device> device_ = openTestDevice();
  CopyClient client_{device_};
  CopyJob job_ = client_.makeJob();
};

TEST_F(PoolTest, ImportsFromAnyPageOffset) {
  Pool pool(3);
  auto second = import(pool, kPage, kPage + 10, Access::Read);
  EXPECT_EQ(second->buffer()->offset(), kPage);
  EXPECT_EQ(std::as_const(*second->buffer()).bytes()[0], 2);
  EXPECT_EQ(std::as_const(*second->buffer()).bytes()[kPage + 9], 3);
  ASSERT_TRUE(job_.job->bindInput(0, second).isOk());
  ASSERT_TRUE(client_.queue->run(*job_.job).isOk());
  EXPECT_TRUE(job_.hasCopied(2));
  ASSERT_TRUE(job_.job->bindOutput(0, import(pool, 2 * kPage, kPage, Access::Write), 100).isOk());
  ASSERT_TRUE(client_.queue->run(*job_.job).isOk());
  EXPECT_EQ(pool.memory.bytes()[2 * kPage + 99], 3);
  EXPECT_EQ(pool.memory.bytes()[2 * kPage + 100], 2);
  EXPECT_EQ(pool.memory.bytes()[2 * kPage + 100 + kCopyBytes], 3);
}

TEST_F(PoolTest, RefusesImportsBeyondFileEnd) {
  Pool pool(2);
  auto codeOf = [&](uint64_t offset, uint64_t bytes) {
    return Buffer::import(device_, pool.file, offset, bytes, true).status().code();
  };
  EXPECT_EQ(codeOf(1, 10), StatusCode::InvalidArgument);
  EXPECT_EQ(codeOf(kPage, 0), StatusCode::InvalidArgument);
  EXPECT_EQ(codeOf(kPage, kPage + 1), StatusCode::DataLoss);
  EXPECT_EQ(codeOf(3 * kPage, 1), StatusCode::DataLoss);
  EXPECT_EQ(codeOf(UINT64_MAX - kPage + 1, kPage), StatusCode::DataLoss);
  EXPECT_EQ(codeOf(0, UINT64_MAX), StatusCode::DataLoss);
  EXPECT_EQ(codeOf(kPage, kPage), StatusCode::Ok);
}

TEST_F(PoolTest, ImportDoesNotChangeFile) {
  Pool pool(1);
  const int before = ::fcntl(pool.file.get(), F_GET_SEALS);
  auto mapping = import(pool, 0, kPage, Access::ReadWrite);
  EXPECT_EQ(::fcntl(pool.file.get(), F_GET_SEALS), before);
  EXPECT_EQ(::ftruncate(pool.file.get(), 5 * kPage), 0);
  EXPECT_EQ(::ftruncate(pool.file.get(), 0), 0);
}

TEST_F(PoolTest, TruncatedPagesReadAsZero) {
  Pool pool(3);
  auto mapping = import(pool, kPage, 2 * kPage, Access::ReadWrite);
  ASSERT_TRUE(job_.job->bindInput(0, mapping, kPage).isOk());
  ASSERT_TRUE(client_.queue->run(*job_.job).isOk());
  EXPECT_TRUE(job_.hasCopied(3));
  ASSERT_EQ(::ftruncate(pool.file.get(), 2 * kPage), 0);
  ASSERT_TRUE(client_.queue->run(*job_.job).isOk());
  EXPECT_TRUE(job_.hasCopied(0));
  EXPECT_EQ(mapping->buffer()->bytes()[0], 2) << "the page before the cut is still there";
  EXPECT_EQ(mapping->buffer()->bytes()[kPage], 0);
  EXPECT_TRUE(mapping->buffer()->isDamaged());
}

TEST_F(PoolTest, WritesAfterFileEndAreLost) {
  Pool pool(2);
  auto mapping = import(pool, 0, 2 * kPage, Access::ReadWrite);
  ASSERT_TRUE(job_.job->bindOutput(0, mapping, kPage).isOk());
  job_.fill(9);
  ASSERT_EQ(::ftruncate(pool.file.get(), 0), 0);
  EXPECT_TRUE(client_.queue->run(*job_.job).isOk());
  EXPECT_EQ(fileSize(pool.file, "the pool").value(), 0u);
}

} // namespace
} // namespace avocet::runtime::test
