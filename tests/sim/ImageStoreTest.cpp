//===- ImageStoreTest.cpp - Decoded streams that are kept -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "job/JobImage.h"

#include <cstring>
#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// A store, and the memory that holds the only stream of a job.
class ImageStoreTest : public testing::Test {
protected:
  static constexpr uint64_t kAddress = 0x10000;

  ImageStoreTest() : memory_(kPageBytes), mmu_(bus_) {
    EXPECT_TRUE(bus_.attach(kAddress, memory_).isOk());
    EXPECT_EQ(mmu_.map({1, access::kRead, kAddress, kAddress, kPageBytes}), ReplyCode::Ok);
  }

  /// A stream that loads this number of bytes: different numbers give different streams.
  static std::vector<uint32_t> loading(uint32_t bytes) {
    const std::vector<Command> commands = {{0, load(1, 0, 0, bytes)}, {kNoLayer, EndCommand{}}};
    return encodeStream(commands);
  }

  std::shared_ptr<const JobImage> find(ImageStore &store, const std::vector<uint32_t> &words) {
    std::memcpy(memory_.data(), words.data(), words.size() * sizeof(uint32_t));
    JobTables tables;
    tables.streams = {{static_cast<uint32_t>(EngineKind::Dma), 0, kAddress, static_cast<uint32_t>(words.size()), 0}};
    JobFault fault;
    std::shared_ptr<const JobImage> image = store.find(mmu_, tables, fault);
    EXPECT_EQ(image == nullptr, static_cast<bool>(fault));
    return image;
  }
  uint64_t bytesOfOne() {
    ImageStore store(*target_);
    return find(store, loading(1))->bytes();
  }

  std::shared_ptr<const Target> target_ = Target::load("e256").value();
  std::vector<uint8_t> memory_;
  Bus bus_;
  Mmu mmu_;
};

TEST_F(ImageStoreTest, ReusesImageForEqualWords) {
  ImageStore store(*target_);
  const auto first = find(store, loading(1)), second = find(store, loading(2));
  EXPECT_NE(first, second) << "at the same address";
  EXPECT_EQ(find(store, loading(1)), first);
  EXPECT_EQ(find(store, loading(2)), second);
  EXPECT_EQ(store.decoded(), 2u);
  EXPECT_EQ(store.bytes(), first->bytes() + second->bytes());
}

TEST_F(ImageStoreTest, AlternatingModelsAreNotDecodedAgain) {
  constexpr uint32_t kModels = 100;
  ImageStore store(*target_);
  for (int round = 0; round < 3; ++round)
    for (uint32_t i = 1; i <= kModels; ++i)
      ASSERT_NE(find(store, loading(i)), nullptr);
  EXPECT_EQ(store.decoded(), kModels);
}

TEST_F(ImageStoreTest, EvictsLeastRecentlyUsedAboveByteLimit) {
  const uint64_t limit = 3 * bytesOfOne();
  ImageStore store(*target_, limit);
  const std::weak_ptr<const JobImage> first = find(store, loading(1)), second = find(store, loading(2));
  find(store, loading(3));
  find(store, loading(1));
  find(store, loading(4));
  EXPECT_FALSE(first.expired());
  EXPECT_TRUE(second.expired());
  EXPECT_LE(store.bytes(), limit);
  EXPECT_EQ(find(store, loading(1)), first.lock());
  EXPECT_EQ(store.decoded(), 4u);
  find(store, loading(2));
  EXPECT_EQ(store.decoded(), 5u);
}

TEST_F(ImageStoreTest, KeepsLatestImageOfAnySize) {
  ImageStore store(*target_, 1);
  const auto first = find(store, loading(1));
  EXPECT_EQ(find(store, loading(1)), first);
  find(store, loading(2));
  EXPECT_NE(find(store, loading(1)), first);
  EXPECT_EQ(store.decoded(), 3u);
  EXPECT_EQ(store.bytes(), first->bytes());
}

TEST_F(ImageStoreTest, DoesNotKeepFaults) {
  ImageStore store(*target_);
  std::vector<uint32_t> cut = loading(1);
  cut.pop_back();
  EXPECT_EQ(find(store, cut), nullptr);
  EXPECT_EQ(store.decoded(), 0u);
  EXPECT_EQ(store.bytes(), 0u);
}

} // namespace
} // namespace avocet::sim::test
