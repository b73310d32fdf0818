//===- ConstantMemoryTest.cpp - Memories of constants -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <atomic>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

class ConstantMemoryTest : public DeviceFixture {
protected:
  /// input + constant of this many floats, in this memory.
  static Model modelWith(uint32_t count, MemoryHandle handle) {
    Model model = addConstantModel(std::vector<float>(count));
    model.pools = {std::make_shared<const Memory>(Memory{std::move(handle)})};
    return model;
  }
  /// The constants, as an execution sees them.
  static std::vector<float> seenBy(IPreparedModel &model, uint32_t count) {
    const uint64_t bytes = count * sizeof(float);
    TestPool inputs(bytes), outputs(bytes);
    EXPECT_TRUE(model.execute(requestOf({bytes}, {bytes}, inputs, outputs), {}).isOk());
    return {outputs.as<float>().begin(), outputs.as<float>().end()};
  }
  static SharedHandle fileOf(const TestPool &pool) { return std::get<Ashmem>(pool.memory()->handle).fd; }
};

TEST_F(ConstantMemoryTest, AllKindsOfMemoryHoldConstants) {
  constexpr uint64_t kOffset = 4100, kBytes = 3 * sizeof(float);
  TestPool whole(kBytes), part(kOffset + kBytes);
  for (float i : {0.f, 1.f, 2.f}) {
    whole.as<float>()[static_cast<size_t>(i)] = i + 5;
    part.as<float>()[kOffset / sizeof(float) + static_cast<size_t>(i)] = i + 5;
  }
  for (const MemoryHandle &handle :
       {MemoryHandle(Ashmem{fileOf(whole), kBytes}), MemoryHandle(HardwareBuffer{fileOf(whole), true, kBytes}),
        MemoryHandle(MappableFile{fileOf(part), kOffset, kBytes, PROT_READ})}) {
    auto prepared = prepare(modelWith(3, handle));
    ASSERT_NE(prepared, nullptr) << handle.index();
    EXPECT_THAT(seenBy(*prepared, 3), ElementsAre(5, 6, 7)) << handle.index();
  }
}

/// A client rewrites and truncates the pool all the time. What was prepared keeps the values that were read.
TEST_F(ConstantMemoryTest, PoolMayChangeDuringPreparation) {
  constexpr uint32_t kCount = 1 << 14;
  constexpr uint64_t kBytes = kCount * sizeof(float);
  const TestPool pool(kBytes);
  const Model model = modelWith(kCount, Ashmem{fileOf(pool), kBytes});
  std::atomic<bool> isDone = false;
  std::thread writer([&] {
    for (float value = 0; !isDone; ++value) {
      const std::vector<float> values(kCount, value);
      EXPECT_EQ(::ftruncate(fileOf(pool)->get(), static_cast<int>(value) % 3 == 0 ? 4096 : kBytes), 0);
      EXPECT_GT(::pwrite(fileOf(pool)->get(), values.data(), kBytes, 0), 0);
    }
  });
  for (int round = 0; round < 20; ++round) {
    auto prepared = device_->prepareModel(model, {});
    if (!prepared) {
      EXPECT_EQ(prepared.code(), ErrorStatus::GeneralFailure) << prepared.error().message;
      continue;
    }
    EXPECT_EQ(seenBy(**prepared, kCount), seenBy(**prepared, kCount));
  }
  isDone = true;
  writer.join();
  EXPECT_TRUE(device_->prepareModel(model, {}).isOk()) << "the pool has its size again";
}

} // namespace
} // namespace avocet::hal
