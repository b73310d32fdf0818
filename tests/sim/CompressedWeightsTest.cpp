//===- CompressedWeightsTest.cpp - Slices as a driver sees them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/firmware_iface/WeightStream.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// A job that loads everything, computes a dense convolution with the second half of a filter, and stores the result.
class HalfFilterJob {
public:
  static constexpr uint32_t kIn = 128;

  /// `extent` pixels in both directions, `channels` of the result.
  HalfFilterJob(uint32_t extent, uint32_t channels, DeviceOptions options)
      : driver_("e256", options), data_((kGuard + kMostResult + 4096) / 4096 * 4096), extent_(extent),
        channels_(channels),
        layout_(*WeightLayout::create(driver_.target().mac(), ConvKind::Dense, {2 * channels, 1, 1, kIn}, 1)) {
    std::mt19937 random(5);
    for (uint32_t i = 0; i < kRecords; ++i)
      data_.data()[i] = static_cast<uint8_t>(random());
    for (uint32_t i = 0; i < layout_.bytes(); ++i)
      packed_.push_back(static_cast<uint8_t>(random() % 9 + random() % 9));
    for (uint32_t c = 0; c < channels; ++c) {
      const RequantRecord record{static_cast<int32_t>(c), 1 << 30, -6};
      std::memcpy(data_.data() + kRecords + c * sizeof(record), &record, sizeof(record));
    }
    const auto encoder = WeightEncoder::create(packed_, {1, layout_.granuleBytes(), packed_.size()});
    slice_.resize(encoder->sliceBytes(0, encoder->granules()));
    encoder->encode(0, encoder->granules(), slice_);
    driver_.map(data_);
  }

  std::vector<uint8_t> slice() const { return slice_; }

  CompletionRecord runPacked() {
    ConvCommand conv = command();
    const uint64_t half = layout_.bytes() / 2;
    conv.weightBytes = static_cast<uint32_t>(half);
    return run(conv, std::span(packed_).subspan(half));
  }

  CompletionRecord runCompressed(std::span<const uint8_t> slice) {
    ConvCommand conv = command();
    conv.weightFormat = WeightFormat::Compressed;
    conv.weightBytes = static_cast<uint32_t>(slice.size());
    conv.sliceChannels = 2 * channels_;
    conv.firstSliceChannel = channels_;
    return run(conv, slice);
  }

  std::vector<uint8_t> result() const { return {data_.data() + kGuard, data_.data() + kGuard + resultBytes()}; }

private:
  // In the region and in SRAM alike.
  static constexpr uint32_t kWeights = 64 * 1024, kRecords = 256 * 1024, kGuard = 288 * 1024, kMostResult = 64 * 1024;

  uint32_t resultBytes() const { return extent_ * extent_ * channels_; }

  ConvCommand command() const {
    return pointwise(tensor(0, extent_, extent_, kIn), tensor(kGuard, extent_, extent_, channels_), kWeights, kRecords,
                     {4, 4, 16});
  }

  CompletionRecord run(const ConvCommand &conv, std::span<const uint8_t> weights) {
    std::copy(weights.begin(), weights.end(), data_.data() + kWeights);
    std::memset(data_.data() + kGuard, 0x55, kMostResult);
    return driver_.run({stream(kDma, {load(1, 0, 0, kGuard), SignalCommand{0}, WaitCommand{1, 1},
                                      store(1, kGuard, kGuard, resultBytes())}),
                        stream(kMac, {WaitCommand{0, 1}, conv, SignalCommand{1}})},
                       {{data_.address(), data_.size()}});
  }

  TestDriver driver_;
  Pages data_;
  uint32_t extent_, channels_;
  WeightLayout layout_;
  std::vector<uint8_t> packed_, slice_;
};

/// Few channels are divided by rows, few pixels by channels.
TEST(CompressedWeightsTest, ResultsDoNotDependOnFormatAndThreads) {
  for (auto [extent, channels] : {std::pair{16u, 64u}, std::pair{4u, 256u}})
    for (const DeviceOptions &options :
         {DeviceOptions{}, DeviceOptions{.timing = false}, DeviceOptions{.timing = false, .threads = 3}}) {
      HalfFilterJob job(extent, channels, options);
      ASSERT_EQ(job.runPacked().faultCode, 0u);
      const std::vector<uint8_t> expected = job.result();
      EXPECT_NE(expected, std::vector<uint8_t>(expected.size(), expected[0]));
      ASSERT_EQ(job.runCompressed(job.slice()).faultCode, 0u);
      EXPECT_EQ(job.result(), expected) << extent << " pixels, " << options.threads << " threads";
    }
}

TEST(CompressedWeightsTest, PortMovesFewerBytes) {
  HalfFilterJob job(16, 64, {});
  const CompletionRecord packed = job.runPacked(), compressed = job.runCompressed(job.slice());
  EXPECT_LT(compressed.counters.sramReadBytes, packed.counters.sramReadBytes);
  EXPECT_EQ(compressed.counters.macs, packed.counters.macs);
}

/// Header, lengths, index and payloads.
TEST(CompressedWeightsTest, DamagedSliceChangesResultsOnly) {
  for (const DeviceOptions &options : {DeviceOptions{}, DeviceOptions{.timing = false, .threads = 2}}) {
    HalfFilterJob job(16, 64, options);
    const std::vector<uint8_t> good = job.slice();
    const uint64_t cycles = job.runCompressed(good).counters.cycles;
    const std::vector<uint8_t> expected = job.result();
    size_t changed = 0;
    for (size_t byte = 0; byte < good.size(); byte += byte < 100 ? 3 : 997) {
      std::vector<uint8_t> damaged = good;
      damaged[byte] ^= 0xFF;
      const CompletionRecord record = job.runCompressed(damaged);
      ASSERT_EQ(record.faultCode, 0u) << "byte " << byte;
      EXPECT_EQ(record.counters.cycles, cycles);
      changed += job.result() != expected;
    }
    EXPECT_GT(changed, 10u);
    ASSERT_EQ(job.runCompressed(good).faultCode, 0u);
    EXPECT_EQ(job.result(), expected) << "later jobs do not see the damage";
  }
}

} // namespace
} // namespace avocet::sim::test
