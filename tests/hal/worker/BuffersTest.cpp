//===- BuffersTest.cpp - Buffers that requests share ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

std::unique_ptr<Buffers> makeBuffers() {
  auto buffers = Buffers::create();
  EXPECT_TRUE(buffers.isOk()) << buffers.status().toString();
  return std::move(*buffers);
}

/// A message whose blocks consist of sevens.
WorkerMessageWriter messageOf(const std::vector<uint8_t> &sevens, size_t blocks) {
  WorkerMessageWriter message;
  message.setHead(sevens);
  for (size_t i = 0; i < blocks; ++i)
    (void)message.add(sevens);
  return message;
}

std::vector<uint8_t> contentOf(const FileDescriptor &file) {
  std::vector<uint8_t> content(MemoryBuffer::kBytes);
  EXPECT_EQ(::pread(file.get(), content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  return content;
}

ino_t inodeOf(const FileDescriptor &file) {
  struct stat status = {};
  EXPECT_EQ(::fstat(file.get(), &status), 0);
  return status.st_ino;
}

/// A fake process descriptor: readable after die().
struct FakeProcess {
  FakeProcess() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    descriptor = FileDescriptor(ends[0]);
    end = FileDescriptor(ends[1]);
  }
  void die() { EXPECT_EQ(::write(end.get(), "x", 1), 1); }

  FileDescriptor descriptor, end;
};

TEST(BuffersTest, NextRequestOverwritesTheLast) {
  const std::vector<uint8_t> sevens(1000, 7), few(1, 7);
  auto buffers = makeBuffers(), fresh = makeBuffers();
  ASSERT_TRUE(buffers->writeRequest(messageOf(sevens, 50)).isOk());
  ASSERT_TRUE(buffers->writeRequest(messageOf(few, 3)).isOk());
  ASSERT_TRUE(fresh->writeRequest(messageOf(few, 3)).isOk());
  EXPECT_EQ(buffers->requestBytes(), fresh->requestBytes());
  EXPECT_EQ(contentOf(buffers->requestFile()), contentOf(fresh->requestFile()));
}

TEST(BuffersTest, ClearedAnswerIsZeros) {
  const std::vector<uint8_t> sevens(1000, 7);
  auto buffers = makeBuffers();
  const WorkerMessageWriter answer = messageOf(sevens, 50);
  ASSERT_TRUE(answer.writeTo(buffers->answerFile()).isOk());
  ASSERT_TRUE(buffers->readAnswer(answer.size()).isOk());
  buffers->clearAnswer();
  EXPECT_TRUE(std::ranges::all_of(contentOf(buffers->answerFile()), [](uint8_t byte) { return byte == 0; }));
}

TEST(BuffersTest, WorkerCannotChangeAnAnswerThatWasRead) {
  const std::vector<uint8_t> sevens(1000, 7), zeros(1000, 0);
  auto buffers = makeBuffers();
  ASSERT_TRUE(messageOf(sevens, 1).writeTo(buffers->answerFile()).isOk());
  auto answer = buffers->readAnswer(messageOf(sevens, 1).size());
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  ASSERT_TRUE(messageOf(zeros, 1).writeTo(buffers->answerFile()).isOk());
  EXPECT_TRUE(std::ranges::equal(answer->head(), sevens));
}

TEST(BuffersTest, FilesKeepTheirSize) {
  auto buffers = makeBuffers();
  for (const FileDescriptor *file : {&buffers->requestFile(), &buffers->answerFile()}) {
    EXPECT_NE(::ftruncate(file->get(), 1), 0);
    EXPECT_NE(::ftruncate(file->get(), MemoryBuffer::kBytes + 1), 0);
  }
}

std::unique_ptr<BufferPool> makePool() {
  auto pool = BufferPool::create();
  EXPECT_TRUE(pool.isOk()) << pool.status().toString();
  return std::move(*pool);
}

std::unique_ptr<Buffers> takeFrom(BufferPool &pool) {
  auto taken = pool.take();
  EXPECT_TRUE(taken.isOk()) << taken.status().toString();
  return std::move(*taken);
}

size_t numOpenFiles() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

TEST(BufferPoolTest, NumberOfFilesDoesNotDependOnUse) {
  const std::unique_ptr<BufferPool> pool = makePool();
  const size_t before = numOpenFiles();
  takeFrom(*pool).reset();
  pool->replace();
  EXPECT_EQ(numOpenFiles(), before) << "after a worker that may live on";
  std::vector<std::unique_ptr<Buffers>> taken;
  for (size_t i = 0; i < BufferPool::kMostIdle + 1; ++i)
    taken.push_back(takeFrom(*pool));
  for (std::unique_ptr<Buffers> &buffers : taken)
    pool->keep(std::move(buffers), FileDescriptor());
  EXPECT_EQ(numOpenFiles(), before) << "after more requests than buffers";
}

TEST(BufferPoolTest, LendsLongestIdleBuffersFirst) {
  const std::unique_ptr<BufferPool> pool = makePool();
  auto first = takeFrom(*pool);
  const ino_t request = inodeOf(first->requestFile());
  pool->keep(std::move(first), FileDescriptor());
  EXPECT_NE(inodeOf(takeFrom(*pool)->requestFile()), request);
  EXPECT_EQ(inodeOf(takeFrom(*pool)->requestFile()), request);
}

TEST(BufferPoolTest, FilesAreNotReusedBeforeWorkerIsDead) {
  const std::unique_ptr<BufferPool> pool = makePool();
  FakeProcess worker;
  auto first = takeFrom(*pool);
  const ino_t request = inodeOf(first->requestFile());
  pool->keep(std::move(first), std::move(worker.descriptor));
  for (size_t i = 0; i < BufferPool::kMostIdle; ++i)
    EXPECT_NE(inodeOf(takeFrom(*pool)->requestFile()), request);
  worker.die();
  EXPECT_EQ(inodeOf(takeFrom(*pool)->requestFile()), request);
}

} // namespace
} // namespace avocet::hal
