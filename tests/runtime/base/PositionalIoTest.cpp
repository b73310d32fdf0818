//===- PositionalIoTest.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"

#include <gtest/gtest.h>

namespace avocet {
namespace {

FileDescriptor memoryFile(uint64_t size) {
  auto file = createMemoryFile("test", size);
  EXPECT_TRUE(file.isOk());
  return std::move(file).value();
}

std::vector<uint8_t> contents(const FileDescriptor &file, size_t size) {
  auto mapping = Mapping::map(file.get(), size, Mapping::Access::Read);
  EXPECT_TRUE(mapping.isOk());
  return {mapping->bytes().begin(), mapping->bytes().end()};
}

/// More than two blocks of a copy, and no multiple of one.
std::vector<uint8_t> manyBytes() {
  std::vector<uint8_t> bytes((size_t{5} << 17) + 3);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 4096);
  return bytes;
}

TEST(PositionalIoTest, CopyHasBytesAndChecksumOfSource) {
  const std::vector<uint8_t> bytes = manyBytes();
  const FileDescriptor from = memoryFile(bytes.size()), to = memoryFile(bytes.size());
  ASSERT_TRUE(writeFromStart(from, bytes, "source").isOk());
  auto checksum = copyFromStart(from, to, bytes.size(), "source");
  ASSERT_TRUE(checksum.isOk()) << checksum.error().message();
  EXPECT_EQ(*checksum, checksumOf({bytes}));
  EXPECT_EQ(contents(to, bytes.size()), bytes);
}

TEST(PositionalIoTest, CopyOfShorterSourceIsDataLoss) {
  const FileDescriptor from = memoryFile(10), to = memoryFile(20);
  auto checksum = copyFromStart(from, to, 20, "source");
  ASSERT_FALSE(checksum.isOk());
  EXPECT_EQ(checksum.error().code(), StatusCode::DataLoss);
}

TEST(PositionalIoTest, WritesAtOffsetOnly) {
  const FileDescriptor file = memoryFile(6);
  const std::vector<uint8_t> bytes = {7, 8};
  ASSERT_TRUE(writeAt(file, 3, bytes, "file").isOk());
  EXPECT_EQ(contents(file, 6), (std::vector<uint8_t>{0, 0, 0, 7, 8, 0}));
}

} // namespace
} // namespace avocet
