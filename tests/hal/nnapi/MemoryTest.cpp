//===- MemoryTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::nnapi::testing {
namespace {

int create(size_t size, int protection, int descriptor, size_t offset, Memory *memory = nullptr) {
  ANeuralNetworksMemory *made = nullptr;
  const int code = ANeuralNetworksMemory_createFromFd(size, protection, descriptor, offset, &made);
  EXPECT_EQ(code == kOk, made != nullptr);
  Memory owner(made);
  if (memory != nullptr)
    *memory = std::move(owner);
  return code;
}

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

TEST(MemoryTest, NullIsRefused) {
  const SharedFile file(8);
  const Memory memory = file.memory();
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(kNull, ANeuralNetworksMemory_createFromFd(8, kReadWrite, file.descriptor(), 0, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &made));
  EXPECT_EQ(kNull, ANeuralNetworksMemory_copy(memory.get(), nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksMemory_copy(nullptr, memory.get()));
  ANeuralNetworksMemory_free(nullptr);
}

TEST(MemoryTest, WrongValuesAreBadData) {
  const SharedFile file(4096);
  const int closed = dup(file.descriptor());
  close(closed);
  EXPECT_EQ(kBadData, create(0, kReadWrite, file.descriptor(), 0));
  EXPECT_EQ(kBadData, create(8, kReadWrite, -1, 0));
  EXPECT_EQ(kBadData, create(8, kReadWrite, closed, 0));
  EXPECT_EQ(kBadData, create(8, 0, file.descriptor(), 0));
  EXPECT_EQ(kBadData, create(8, PROT_EXEC, file.descriptor(), 0));
  EXPECT_EQ(kBadData, create(8, -1, file.descriptor(), 0));
  EXPECT_EQ(kBadData, create(SIZE_MAX, kReadWrite, file.descriptor(), 8));
  EXPECT_EQ(kBadData, create(8, kReadWrite, file.descriptor(), SIZE_MAX - 4));
}

TEST(MemoryTest, FilesThatCannotBeMappedAreUnmappable) {
  const SharedFile file(4096);
  int pipes[2];
  ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
  EXPECT_EQ(ANEURALNETWORKS_UNMAPPABLE, create(8, kReadWrite, pipes[0], 0));
  EXPECT_EQ(ANEURALNETWORKS_UNMAPPABLE, create(8192, kReadWrite, file.descriptor(), 0));
  EXPECT_EQ(ANEURALNETWORKS_UNMAPPABLE, create(8, kReadWrite, file.descriptor(), 1 << 20));
  close(pipes[0]);
  close(pipes[1]);
}

TEST(MemoryTest, DescriptorMayBeClosedAtOnce) {
  auto file = std::make_unique<SharedFile>(8);
  file->floats()[0] = 5;
  const Memory memory = file->memory();
  file.reset();
  const SharedFile other(8);
  EXPECT_EQ(kOk, ANeuralNetworksMemory_copy(memory.get(), other.memory().get()));
  EXPECT_EQ(5, other.floats()[0]);
}

TEST(MemoryTest, RangesOfFilesAreCopied) {
  const SharedFile file(16384);
  file.floats()[1025] = 6;
  Memory from, to;
  ASSERT_EQ(kOk, create(8, PROT_READ, file.descriptor(), 4100, &from));
  ASSERT_EQ(kOk, create(8, kReadWrite, file.descriptor(), 12, &to));
  EXPECT_EQ(kOk, ANeuralNetworksMemory_copy(from.get(), to.get()));
  EXPECT_EQ(6, file.floats()[3]);
  EXPECT_EQ(kBadData, ANeuralNetworksMemory_copy(to.get(), from.get())); // read-only
  EXPECT_EQ(kOk, ANeuralNetworksMemory_copy(to.get(), to.get()));
}

TEST(MemoryTest, CopiesNeedEqualSizes) {
  const SharedFile two(8), four(16);
  EXPECT_EQ(kBadData, ANeuralNetworksMemory_copy(two.memory().get(), four.memory().get()));
  EXPECT_EQ(kBadData, ANeuralNetworksMemory_copy(four.memory().get(), two.memory().get()));
}

TEST(MemoryTest, FileThatShrinksIsAnError) {
  const SharedFile file(8192), other(8192);
  const Memory memory = file.memory();
  ASSERT_EQ(0, ftruncate(file.descriptor(), 0));
  EXPECT_NE(kOk, ANeuralNetworksMemory_copy(memory.get(), other.memory().get()));
  EXPECT_NE(kOk, ANeuralNetworksMemory_copy(other.memory().get(), memory.get()));
}

TEST(MemoryTest, ReadOnlyMemoryIsNoOutput) {
  const Compilation compilation = compile(addModel());
  const SharedFile file(64);
  Memory memory;
  NEED(create(64, PROT_READ, file.descriptor(), 0, &memory));
  Addition addition(compilation);
  const Execution execution = executionOf(compilation);
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 8));
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 1, nullptr, memory.get(), 0, 8));
  const int set = ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory.get(), 8, 8);
  EXPECT_NE(kOk, set == kOk ? ANeuralNetworksExecution_compute(execution.get()) : set);
}

const AHardwareBuffer *asBuffer(const AvocetHardwareBuffer &buffer) {
  return reinterpret_cast<const AHardwareBuffer *>(&buffer);
}

TEST(HardwareBufferTest, StandInIsChecked) {
  const SharedFile file(8);
  const AvocetHardwareBuffer good{AVOCET_HARDWARE_BUFFER_MAGIC, file.descriptor(), 0, 8};
  ANeuralNetworksMemory *made = nullptr;
  auto with = [&](auto change) {
    AvocetHardwareBuffer buffer = good;
    change(buffer);
    return ANeuralNetworksMemory_createFromAHardwareBuffer(asBuffer(buffer), &made);
  };
  EXPECT_EQ(kNull, ANeuralNetworksMemory_createFromAHardwareBuffer(asBuffer(good), nullptr));
  EXPECT_EQ(kBadData, with([](auto &buffer) { ++buffer.magic; }));
  EXPECT_EQ(kBadData, with([](auto &buffer) { buffer.fd = -1; }));
  EXPECT_EQ(kBadData, with([](auto &buffer) { buffer.reserved = 1; }));
  EXPECT_EQ(kBadData, with([](auto &buffer) { buffer.size = 0; }));
  EXPECT_NE(kOk, with([](auto &buffer) { buffer.size = UINT64_MAX; }));
  EXPECT_EQ(ANEURALNETWORKS_UNMAPPABLE, with([](auto &buffer) { buffer.size = 1 << 20; }));
  EXPECT_EQ(nullptr, made);
}

TEST(HardwareBufferTest, HoldsInputsAndOutputs) {
  const SharedFile file(64);
  const AvocetHardwareBuffer buffer{AVOCET_HARDWARE_BUFFER_MAGIC, file.descriptor(), 0, 64};
  ANeuralNetworksMemory *made = nullptr;
  ASSERT_EQ(kOk, ANeuralNetworksMemory_createFromAHardwareBuffer(asBuffer(buffer), &made));
  const Memory memory(made);
  const Compilation compilation = compile(addModel());
  const Execution execution = executionOf(compilation);
  file.floats()[0] = 7;
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, made, 60, 8));
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, made, 0, 8));
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 1, nullptr, made, 0, 8));
  NEED(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, made, 8, 8));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_compute(execution.get()));
  EXPECT_EQ(14, file.floats()[2]);
}

} // namespace
} // namespace avocet::nnapi::testing
