//===- MappingTest.cpp - Tests of mapped files that shrink -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace avocet {
namespace {

constexpr uint64_t kPage = 4096;

FileDescriptor memoryFile(uint64_t bytes, uint8_t value) {
  Result<FileDescriptor> file = createMemoryFile("mapping-test", bytes);
  EXPECT_TRUE(file.isOk());
  std::vector<uint8_t> contents(bytes, value);
  EXPECT_EQ(::pwrite(file->get(), contents.data(), bytes, 0), static_cast<ssize_t>(bytes));
  return std::move(*file);
}

uint64_t sumOf(std::span<const uint8_t> bytes) { return std::accumulate(bytes.begin(), bytes.end(), uint64_t(0)); }

TEST(MappingTest, LostPagesReadAsZero) {
  FileDescriptor file = memoryFile(4 * kPage, 1);
  Result<Mapping> mapping = Mapping::map(file.get(), 4 * kPage, Mapping::Access::Read);
  ASSERT_TRUE(mapping.isOk());
  EXPECT_EQ(sumOf(std::as_const(*mapping).bytes()), 4 * kPage);
  EXPECT_FALSE(mapping->isDamaged());
  ASSERT_EQ(::ftruncate(file.get(), kPage), 0);
  EXPECT_EQ(sumOf(std::as_const(*mapping).bytes()), kPage);
  EXPECT_TRUE(mapping->isDamaged());
}

TEST(MappingTest, WritesAfterFileEndAreLost) {
  FileDescriptor file = memoryFile(2 * kPage, 1);
  Result<Mapping> mapping = Mapping::map(file.get(), 2 * kPage, Mapping::Access::ReadWrite);
  ASSERT_TRUE(mapping.isOk());
  ASSERT_EQ(::ftruncate(file.get(), 0), 0);
  std::fill(mapping->bytes().begin(), mapping->bytes().end(), uint8_t(7));
  EXPECT_TRUE(mapping->isDamaged());
  EXPECT_EQ(*fileSize(file, "file"), 0u);
}

TEST(MappingTest, TruncationDoesNotDamageOtherMappings) {
  FileDescriptor file = memoryFile(2 * kPage, 1), other = memoryFile(2 * kPage, 2);
  Result<Mapping> shrunk = Mapping::map(file.get(), 2 * kPage, Mapping::Access::Read);
  Result<Mapping> whole = Mapping::map(other.get(), 2 * kPage, Mapping::Access::Read);
  ASSERT_TRUE(shrunk.isOk() && whole.isOk());
  ASSERT_EQ(::ftruncate(file.get(), 0), 0);
  EXPECT_EQ(sumOf(std::as_const(*shrunk).bytes()), 0u);
  EXPECT_EQ(sumOf(std::as_const(*whole).bytes()), 4 * kPage);
  EXPECT_FALSE(whole->isDamaged());
}

TEST(MappingTest, SurvivesConcurrentTruncation) {
  FileDescriptor file = memoryFile(8 * kPage, 1);
  std::atomic<bool> stop{false};
  std::thread truncater([&] {
    while (!stop) {
      (void)!::ftruncate(file.get(), 0);
      (void)!::ftruncate(file.get(), 8 * kPage);
    }
  });
  for (int round = 0; round < 200; ++round) {
    Result<Mapping> mapping = Mapping::map(file.get(), 8 * kPage, Mapping::Access::ReadWrite);
    ASSERT_TRUE(mapping.isOk());
    volatile uint8_t *bytes = mapping->bytes().data();
    for (uint64_t offset = 0; offset < 8 * kPage; offset += kPage)
      bytes[offset] = static_cast<uint8_t>(bytes[offset] + 1);
  }
  stop = true;
  truncater.join();
}

using MappingDeathTest = testing::Test;

TEST(MappingDeathTest, FaultsOutsideMappingsStillKillProcess) {
  FileDescriptor file = memoryFile(kPage, 1);
  // GoogleTest's death test forks, so the child inherits the guard and its signal handler.
  {
    (void)Mapping::map(file.get(), kPage, Mapping::Access::Read);
  }
  EXPECT_DEATH(
      {
        Result<FileDescriptor> empty = createMemoryFile("empty", 0);
        auto *bytes = static_cast<volatile uint8_t *>(::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, empty->get(), 0));
        (void)bytes[0];
      },
      "");
}

} // namespace
} // namespace avocet
