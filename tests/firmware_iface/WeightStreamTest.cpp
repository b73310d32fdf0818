//===- WeightStreamTest.cpp - Lossless compression of weights -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/firmware_iface/WeightIndex.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <random>

namespace avocet::firmware {
namespace {

using Bytes = std::vector<uint8_t>;

/// Numbers as in trained filters: a bell curve, and a share of zeros.
Bytes bellCurve(size_t count, uint32_t elementSize, double width, double zeros, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes;
  const double most = elementSize == 1 ? 127 : 32767;
  while (bytes.size() < count * elementSize) {
    // A sum of uniform numbers has the same bits in every standard library.
    double sum = 0;
    for (int i = 0; i < 6; ++i)
      sum += static_cast<double>(random() % 2001) - 1000;
    const auto element = static_cast<int32_t>(
        random() % 1000 < zeros * 1000 ? 0 : std::clamp(std::round(sum / 1414 * width), -most, most));
    bytes.push_back(static_cast<uint8_t>(element));
    if (elementSize == 2)
      bytes.push_back(static_cast<uint8_t>(element >> 8));
  }
  return bytes;
}

Bytes encode(const Bytes &plain, uint32_t elementSize, uint64_t granuleBytes) {
  const auto encoder = WeightEncoder::create(plain, {elementSize, granuleBytes, plain.size()});
  Bytes slice(encoder->sliceBytes(0, encoder->granules()));
  encoder->encode(0, encoder->granules(), slice);
  return slice;
}

Status checkSlice(std::span<const uint8_t> slice, const SliceShape &shape) {
  return WeightIndex::read(slice, shape).status();
}

void expectRoundTrip(const Bytes &plain, uint32_t elementSize, uint64_t granuleBytes) {
  const Bytes slice = encode(plain, elementSize, granuleBytes);
  const SliceShape shape{elementSize, granuleBytes, plain.size()};
  EXPECT_TRUE(checkSlice(slice, shape).isOk());
  Bytes decoded(plain.size());
  ASSERT_TRUE(decodeWeightSlice(slice, shape, 0, decoded).isOk());
  EXPECT_EQ(decoded, plain) << elementSize << " bytes in granules of " << granuleBytes;
}

TEST(WeightStreamTest, AllSizesOfElementsAndGranules) {
  for (uint32_t elementSize : {1u, 2u})
    for (double width : {0.5, 20.0, 3000.0})
      for (size_t count : {1, 2, 63, 64, 65, 1000, 5000})
        for (uint64_t granule : {2, 64, 1000, 100000})
          expectRoundTrip(bellCurve(count, elementSize, width, 0.3, static_cast<uint32_t>(count)), elementSize,
                          granule);
}

TEST(WeightStreamTest, RunsOfEveryLength) {
  for (size_t length : {1, 2, 3, 7, 8, 255, 256, 65535, 65536, 65537, 200000}) {
    Bytes plain(length, 5);
    expectRoundTrip(plain, 1, plain.size());
    plain.push_back(6);
    plain.insert(plain.begin(), 7);
    expectRoundTrip(plain, 1, plain.size());
    expectRoundTrip(Bytes(2 * length), 2, 2 * length);
  }
}

/// The decoder takes several granules at once, which end at different times; some are stored as they are.
TEST(WeightStreamTest, UnequalGranulesDecodeTogether) {
  constexpr size_t kGranule = 100;
  std::mt19937 random(17);
  for (uint32_t seed = 1; seed < 60; ++seed) {
    Bytes plain;
    for (size_t granule = random() % 7; granule < 8; ++granule) {
      const size_t count = granule == 7 ? 1 + random() % kGranule : kGranule;
      const Bytes part = bellCurve(count, 1, random() % 2 ? 3 : 500, static_cast<double>(random() % 5) / 4, seed + 100);
      plain.insert(plain.end(), part.begin(), part.end());
    }
    expectRoundTrip(plain, 1, kGranule);
  }
}

TEST(WeightStreamTest, ExtremeElements) {
  Bytes all(256);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<uint8_t>(i);
  expectRoundTrip(all, 1, 100);
  expectRoundTrip({0x00, 0x80, 0xFF, 0x7F, 0xFF, 0xFF, 0x01, 0x00, 0x00, 0x00}, 2, 4); // -32768, 32767, -1, 1, 0
}

/// Frequencies as Fibonacci numbers would have codes of 20 bits.
TEST(WeightStreamTest, CodesStayShort) {
  Bytes plain;
  for (uint32_t value = 0, count = 1, next = 1; value < 20; ++value) {
    for (uint32_t i = 0; i < count; ++i) {
      plain.push_back(static_cast<uint8_t>(value));
      plain.push_back(200); // no runs
    }
    next = std::exchange(count, next) + count;
  }
  expectRoundTrip(plain, 1, 512);
}

TEST(WeightStreamTest, IncompressibleWeightsAreNotWorthwhile) {
  std::mt19937 random(1);
  Bytes plain(10000);
  for (uint8_t &byte : plain)
    byte = static_cast<uint8_t>(random());
  const auto encoder = WeightEncoder::create(plain, {1, 1000, plain.size()});
  EXPECT_FALSE(encoder->isWorthwhile());
  EXPECT_LT(encoder->sliceBytes(0, 10), plain.size() * 101 / 100);
  expectRoundTrip(plain, 1, 1000);
}

double entropyBytes(const Bytes &plain) {
  std::map<uint8_t, double> counts;
  for (uint8_t byte : plain)
    ++counts[byte];
  double bits = 0;
  for (auto [byte, count] : counts)
    bits -= count * std::log2(count / static_cast<double>(plain.size()));
  return bits / 8;
}

TEST(WeightStreamTest, SizeIsCloseToTheEntropy) {
  for (double width : {5.0, 20.0, 40.0}) {
    const Bytes plain = bellCurve(200000, 1, width, 0.05, 3);
    EXPECT_LT(static_cast<double>(encode(plain, 1, 4096).size()), 1.03 * entropyBytes(plain)) << width;
  }
}

TEST(WeightStreamTest, RunsOfZerosTakeFewBits) {
  Bytes plain(100000);
  for (size_t i = 0; i < plain.size(); i += 100)
    plain[i] = static_cast<uint8_t>(1 + i % 3);
  EXPECT_LT(encode(plain, 1, 4096).size(), plain.size() / 64) << "an eighth of a bit per weight";
}

TEST(WeightStreamTest, GranuleThatWouldGrowIsStoredPlain) {
  Bytes plain = bellCurve(10000, 1, 5, 0.1, 4);
  std::mt19937 random(2);
  for (size_t i = 3000; i < 4000; ++i)
    plain[i] = static_cast<uint8_t>(random());
  const auto encoder = WeightEncoder::create(plain, {1, 1000, plain.size()});
  EXPECT_LT(encoder->sliceBytes(3, 4), 1000 + encoder->sliceBytes(0, 0) + 3) << "header, index, and the weights";
  expectRoundTrip(plain, 1, 1000);
}

TEST(WeightStreamTest, PartsOfASliceDecodeAlone) {
  const Bytes plain = bellCurve(950, 1, 20, 0.1, 5), slice = encode(plain, 1, 100);
  const SliceShape shape{1, 100, 950};
  for (uint32_t first = 0; first < 10; ++first) {
    Bytes part(std::min<size_t>(200, plain.size() - first * 100));
    ASSERT_TRUE(decodeWeightSlice(slice, shape, first, part).isOk());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + first * 100)) << first;
  }
  Bytes tooMuch(300);
  EXPECT_EQ(decodeWeightSlice(slice, shape, 8, tooMuch).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(decodeWeightSlice(slice, shape, 11, tooMuch).code(), StatusCode::InvalidArgument);
}

TEST(WeightStreamTest, SliceOfGranulesHasTheStatedSize) {
  const Bytes plain = bellCurve(950, 1, 20, 0.1, 6);
  const auto encoder = WeightEncoder::create(plain, {1, 100, plain.size()});
  Bytes slice(encoder->sliceBytes(3, 7)), decoded(400);
  encoder->encode(3, 7, slice);
  ASSERT_TRUE(decodeWeightSlice(slice, {1, 100, 400}, 0, decoded).isOk());
  EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), plain.begin() + 300));
}

TEST(WeightStreamTest, TruncatedSlicesAreDamaged) {
  const Bytes plain = bellCurve(500, 2, 300, 0.2, 7), slice = encode(plain, 2, 200);
  const std::span<const uint8_t> all = slice;
  for (size_t size = 0; size < slice.size(); ++size)
    EXPECT_EQ(checkSlice(all.first(size), {2, 200, 1000}).code(), StatusCode::DataLoss) << size;
}

TEST(WeightStreamTest, DamageNamesTheField) {
  const Bytes plain = bellCurve(500, 1, 20, 0.2, 8), good = encode(plain, 1, 100);
  auto expectDamage = [&](size_t byte, uint8_t value, const char *field) {
    Bytes slice = good;
    slice[byte] = value;
    const Status status = checkSlice(slice, {1, 100, 500});
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_NE(status.message().find(field), std::string::npos) << status.message();
  };
  expectDamage(0, 2, "header");
  expectDamage(1, 2, "header");
  expectDamage(3, 0xFF, "the code of symbol 0");
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_NE(checkSlice(longer, {1, 100, 500}).message().find("payloads"), std::string::npos);
  EXPECT_NE(checkSlice(good, {1, 1, 500}).message().find("index"), std::string::npos);
}

TEST(WeightStreamTest, ReaderRefusesImpossibleShapes) {
  Bytes plain(500);
  const Bytes good = encode(plain, 1, 100);
  for (const SliceShape &shape : {SliceShape{4, 100, 500}, SliceShape{1, 0, 500}, SliceShape{2, 99, 500}}) {
    EXPECT_EQ(checkSlice(good, shape).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(decodeWeightSlice(good, shape, 0, plain).code(), StatusCode::InvalidArgument);
  }
}

/// Any damage either is found, or gives other weights.
TEST(WeightStreamTest, DamagedBitsStayInBounds) {
  for (uint32_t elementSize : {1u, 2u}) {
    const Bytes plain = bellCurve(300, elementSize, 30, 0.5, 9);
    Bytes slice = encode(plain, elementSize, 64);
    for (size_t bit = 0; bit < slice.size() * 8; ++bit) {
      slice[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      Bytes decoded(plain.size());
      const SliceShape shape{elementSize, 64, plain.size()};
      EXPECT_EQ(decodeWeightSlice(slice, shape, 0, decoded).isOk(), checkSlice(slice, shape).isOk());
      slice[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
}

TEST(WeightStreamTest, EncoderRefusesImpossibleSizes) {
  const Bytes plain(10);
  EXPECT_EQ(WeightEncoder::create({}, {1, 4, 0}).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(WeightEncoder::create(plain, {4, 4, 10}).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(WeightEncoder::create(plain, {1, 0, 10}).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(WeightEncoder::create(plain, {2, 3, 10}).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(WeightEncoder::create(Bytes(9), {2, 4, 9}).status().code(), StatusCode::InvalidArgument);
}

} // namespace
} // namespace avocet::firmware
