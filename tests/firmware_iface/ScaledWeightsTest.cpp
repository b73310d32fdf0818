//===- ScaledWeightsTest.cpp - Floats with scales of blocks ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>

namespace avocet::firmware {
namespace {

using Bytes = std::vector<uint8_t>;

/// A filter of a layer that multiplies rows.
struct Filter {
  WeightLayout layout;
  Bytes packed;
};

WeightLayout layoutOf(ConvKind kind, uint32_t channels, uint32_t products, uint32_t elementSize) {
  static const std::shared_ptr<const Target> kTarget = Target::load("e256").value();
  const WeightDims dims =
      kind == ConvKind::Dense ? WeightDims{channels, 1, 1, products} : WeightDims{channels, 1, products};
  return *WeightLayout::create(kTarget->mac(), kind, dims, elementSize);
}

/// Packs element(channel, product).
template <typename T, typename F> Filter filterOf(const WeightLayout &layout, F &&element) {
  Filter filter{layout, Bytes(layout.bytes())};
  for (uint32_t channel = 0; channel < layout.outputChannels(); ++channel)
    for (uint32_t product = 0; product < layout.products(); ++product) {
      const T value = element(channel, product);
      std::memcpy(filter.packed.data() + layout.indexOf(channel, product) * sizeof(T), &value, sizeof(T));
    }
  return filter;
}

SliceShape shapeOf(const Filter &filter, DataType type) {
  return SliceShape::of(filter.layout, type, filter.layout.outputChannels());
}

Bytes encode(const Filter &filter, DataType type) {
  const auto encoder = WeightEncoder::create(filter.packed, shapeOf(filter, type));
  if (!encoder)
    return {};
  Bytes slice(encoder->sliceBytes(0, encoder->granules()));
  encoder->encode(0, encoder->granules(), slice);
  return slice;
}

/// Integers of a few bits times the scale of each block.
template <typename T> Filter blockFilter(const WeightLayout &layout, uint32_t block, int32_t most, bool areHalves) {
  std::mt19937 random(layout.products() + block);
  std::vector<float> scales;
  for (uint32_t i = 0; i < layout.outputChannels() * divideUp(layout.products(), block); ++i) {
    const float scale = 0.001f + static_cast<float>(random() % 1000) / 9973.0f;
    scales.push_back(areHalves ? static_cast<float>(static_cast<_Float16>(scale)) : scale);
  }
  return filterOf<T>(layout, [&](uint32_t channel, uint32_t product) {
    const auto integer = static_cast<int32_t>(random() % static_cast<uint32_t>(2 * most + 1)) - most;
    return static_cast<T>(static_cast<float>(integer) *
                          scales[channel * divideUp(layout.products(), block) + product / block]);
  });
}

void expectRoundTrip(const Filter &filter, DataType type, double mostBits) {
  const Bytes slice = encode(filter, type);
  ASSERT_FALSE(slice.empty()) << "no scales are found";
  const SliceShape shape = shapeOf(filter, type);
  ASSERT_TRUE(WeightIndex::read(slice, shape));
  Bytes decoded(filter.packed.size());
  ASSERT_TRUE(decodeWeightSlice(slice, shape, 0, decoded).isOk());
  EXPECT_EQ(decoded, filter.packed);
  const size_t weights = filter.packed.size() / filter.layout.elementSize();
  EXPECT_LT(8.0 * static_cast<double>(slice.size()), mostBits * static_cast<double>(weights) + 8.0 * 256)
      << "and a header";
}

/// Bits of a weight: of the integer, and its share of the scale.
TEST(ScaledWeightsTest, BlocksOfAllSizesComeBack) {
  for (ConvKind kind : {ConvKind::Dense, ConvKind::Depthwise})
    for (uint32_t block : {16u, 32u, 64u, 128u, 256u})
      for (uint32_t products : {block, 2 * block, 3 * block + 8}) {
        SCOPED_TRACE(testing::Message() << block << " of " << products);
        const auto floats = layoutOf(kind, 20, products, 4), halves = layoutOf(kind, 20, products, 2);
        expectRoundTrip(blockFilter<float>(floats, block, 7, true), DataType::Float32, 4.2 + 17.0 / block);
        expectRoundTrip(blockFilter<float>(floats, block, 7, false), DataType::Float32, 4.2 + 34.0 / block);
        expectRoundTrip(blockFilter<_Float16>(halves, block, 7, true), DataType::Float16, 4.2 + 17.0 / block);
        expectRoundTrip(blockFilter<float>(floats, block, 127, true), DataType::Float32, 8.2 + 17.0 / block);
      }
}

TEST(ScaledWeightsTest, ScaleOfChannelIsStoredOnce) {
  const auto layout = layoutOf(ConvKind::Dense, 16, 1000, 4);
  expectRoundTrip(blockFilter<float>(layout, 1000, 7, true), DataType::Float32, 4.2);
}

/// Zeros of blocks with negative scales have a sign.
TEST(ScaledWeightsTest, ZerosKeepTheirSign) {
  const auto layout = layoutOf(ConvKind::Dense, 4, 128, 4);
  for (const float scale : {0.25f, -0.25f})
    for (const int32_t step : {0, 1})
      expectRoundTrip(filterOf<float>(layout,
                                      [&](uint32_t, uint32_t product) {
                                        return scale * static_cast<float>(step * static_cast<int32_t>(product % 8));
                                      }),
                      DataType::Float32, 4);
}

TEST(ScaledWeightsTest, FloatsWithoutScalesAreRefused) {
  std::mt19937 random(1);
  const auto refuse = [&](const std::function<float(uint32_t)> &element) {
    const auto filter = filterOf<float>(layoutOf(ConvKind::Dense, 8, 256, 4),
                                        [&](uint32_t, uint32_t product) { return element(product); });
    EXPECT_EQ(WeightEncoder::create(filter.packed, shapeOf(filter, DataType::Float32)).status().code(),
              StatusCode::InvalidArgument);
  };
  refuse([&](uint32_t) { return std::ldexp(static_cast<float>(random()), -32); });
  refuse([](uint32_t product) { return product == 200 ? NAN : 1.0f; });
  refuse([](uint32_t product) { return product == 200 ? INFINITY : 1.0f; });
  refuse([](uint32_t product) { return product == 200 ? 129.0f : static_cast<float>(product % 2); });
  refuse([](uint32_t product) { return product % 2 ? 0.0f : -0.0f; });
}

TEST(ScaledWeightsTest, PartsOfSliceDecodeAlone) {
  const Filter filter = blockFilter<float>(layoutOf(ConvKind::Dense, 20, 96, 4), 32, 7, true);
  const SliceShape shape = shapeOf(filter, DataType::Float32);
  const Bytes slice = encode(filter, DataType::Float32);
  for (uint32_t first = 0; first < shape.granules(); ++first) {
    Bytes part(shape.bytesOf(first));
    ASSERT_TRUE(decodeWeightSlice(slice, shape, first, part).isOk());
    EXPECT_EQ(std::memcmp(part.data(), filter.packed.data() + first * shape.granuleBytes, part.size()), 0) << first;
  }
}

/// Any damage either is found, or gives other weights.
TEST(ScaledWeightsTest, DamagedBitsStayInBounds) {
  const Filter filter = blockFilter<float>(layoutOf(ConvKind::Dense, 10, 40, 4), 16, 7, true);
  const SliceShape shape = shapeOf(filter, DataType::Float32);
  Bytes slice = encode(filter, DataType::Float32);
  for (size_t bit = 0; bit < slice.size() * 8; ++bit) {
    slice[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    Bytes decoded(filter.packed.size());
    EXPECT_EQ(decodeWeightSlice(slice, shape, 0, decoded).isOk(), WeightIndex::read(slice, shape).isOk());
    slice[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
  for (size_t size = 0; size < slice.size(); ++size)
    EXPECT_EQ(WeightIndex::read(std::span(slice).first(size), shape).status().code(), StatusCode::DataLoss) << size;
}

TEST(ScaledWeightsTest, DamageNamesTheField) {
  const Filter filter = blockFilter<float>(layoutOf(ConvKind::Dense, 8, 64, 4), 32, 0, true);
  const auto messageWith = [&](size_t byte, uint8_t value) {
    Bytes slice = encode(filter, DataType::Float32);
    slice[byte] = value;
    return WeightIndex::read(slice, shapeOf(filter, DataType::Float32)).status().message();
  };
  EXPECT_NE(messageWith(0, kIntegerStream).find("header"), std::string::npos);
  EXPECT_NE(messageWith(3, 3).find("blocks of 2^3"), std::string::npos);
  EXPECT_NE(messageWith(4, 3).find("scales of 3 bytes"), std::string::npos);
  EXPECT_NE(messageWith(5, 17).find("17 bits of scales"), std::string::npos);
  EXPECT_NE(messageWith(5, 16).find("smaller than its scales"), std::string::npos);
}

/// Trained weights before they are quantized: a bell curve, or the same number of each.
std::vector<float> realWeights(size_t count, bool isBell) {
  std::mt19937 random(7);
  const auto uniform = [&] { return (static_cast<float>(random()) + 0.5f) / 4294967296.0f; };
  std::vector<float> weights;
  while (weights.size() < count)
    weights.push_back(isBell ? std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi_v<float> * uniform())
                             : 2 * uniform() - 1);
  return weights;
}

/// Bytes of the same real weights in several forms.
struct Forms {
  static constexpr uint32_t kChannels = 64, kProducts = 2048;
  std::vector<float> real;

  /// Calls use(integer, scale) for each weight; the largest one of a block becomes `most`.
  template <typename T, typename F> Filter quantized(uint32_t block, float most, F &&use) const {
    std::vector<float> scales(real.size() / block);
    for (size_t i = 0; i < real.size(); ++i)
      scales[i / block] = std::max(scales[i / block], std::abs(real[i]) / most);
    return filterOf<T>(layoutOf(ConvKind::Dense, kChannels, kProducts, sizeof(T)),
                       [&](uint32_t channel, uint32_t product) {
                         const size_t i = channel * kProducts + product;
                         const auto scale = static_cast<float>(static_cast<_Float16>(scales[i / block]));
                         const float integer = std::clamp(std::nearbyint(real[i] / scale), -most - 1, most);
                         return use(static_cast<int8_t>(integer), scale);
                       });
  }

  /// The scales are no part of the weights.
  double perChannel(float most) const {
    const auto filter = quantized<int8_t>(kProducts, most, [](int8_t integer, float) { return integer; });
    return static_cast<double>(std::min(encode(filter, DataType::Int8).size(), filter.packed.size()));
  }
  double inBlocks(uint32_t block) const {
    const auto filter =
        quantized<float>(block, 7, [](int8_t integer, float scale) { return static_cast<float>(integer) * scale; });
    return static_cast<double>(encode(filter, DataType::Float32).size());
  }
};

/// Of weights of 4 bits over those of 8 bits, both as they are stored.
TEST(ScaledWeightsTest, FourBitsTakeHalfTheBytesOfEight) {
  for (const bool isBell : {true, false}) {
    const Forms forms{realWeights(size_t{Forms::kChannels} * Forms::kProducts, isBell)};
    const double eight = forms.perChannel(127);
    EXPECT_LT(forms.perChannel(7), 0.55 * eight) << isBell;
    EXPECT_LT(forms.inBlocks(32), 0.58 * eight) << isBell;
    EXPECT_GT(forms.inBlocks(32), 0.25 * eight) << isBell;
    for (const uint32_t block : {64u, 128u, 256u})
      EXPECT_LT(forms.inBlocks(block), 0.55 * eight) << isBell << " " << block;
    RecordProperty(isBell ? "bell" : "uniform",
                   testing::PrintToString(std::vector<double>{eight, forms.perChannel(7), forms.inBlocks(32),
                                                              forms.inBlocks(64), forms.inBlocks(128)}));
  }
}

} // namespace
} // namespace avocet::firmware
