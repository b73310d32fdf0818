//===- OperandTest.cpp - Boxes of tensors that may overlap ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Problem.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace avocet::compiler::schedule {
namespace {

constexpr firmware::DataType kByte = firmware::DataType::Int8;

std::set<uint64_t> bytesOf(const Operand &operand) {
  std::set<uint64_t> bytes;
  for (uint64_t row = 0; row < operand.shape.height; ++row)
    for (uint64_t pixel = 0; pixel < operand.shape.width; ++pixel)
      for (uint64_t byte = 0; byte < operand.shape.pixelBytes(); ++byte)
        bytes.insert(operand.offset + row * operand.rowStep() + pixel * operand.pixelStep() + byte);
  return bytes;
}

Operand box(const MapShape &shape, uint64_t offset, uint32_t rowStride, uint32_t pixelStride) {
  Operand operand{false, 0, shape};
  operand.offset = offset;
  operand.rowStride = rowStride;
  operand.pixelStride = pixelStride;
  return operand;
}

TEST(OperandTest, PartsOfInnerJoinAreApartAnywhere) {
  for (uint32_t lead = 0; lead < 40; ++lead)
    for (uint32_t first = 1; first < 7; ++first)
      for (uint32_t second = 1; second < 7; ++second) {
        const uint32_t row = first + second;
        const MapShape tensor{1, 1, lead + 3 * row, kByte};
        const Operand a = box({3, first, 1, kByte}, lead, row, 1), b = box({3, second, 1, kByte}, lead + first, row, 1);
        EXPECT_FALSE(mayOverlap(tensor, a, b)) << lead << " " << first << " " << second;
        EXPECT_FALSE(mayOverlap(tensor, b, a)) << lead << " " << first << " " << second;
      }
}

/// The outer join's rows are as long as the inner one's, with other bytes after them. Their length need not be a
/// multiple of the inner pixel.
TEST(OperandTest, PixelsThatRepeatInEachRowAreApart) {
  for (uint32_t lead = 0; lead < 10; ++lead)
    for (uint32_t rest = 0; rest < 10; ++rest)
      for (uint32_t first = 1; first < 4; ++first)
        for (uint32_t second = 1; second < 4; ++second) {
          const uint32_t pixel = first + second, row = lead + 4 * pixel + rest;
          const MapShape tensor{5, 1, row, kByte};
          const Operand a = box({5, 4, first, kByte}, lead, row, pixel),
                        b = box({5, 4, second, kByte}, lead + first, row, pixel);
          EXPECT_FALSE(mayOverlap(tensor, a, b)) << lead << " " << rest << " " << first << " " << second;
          EXPECT_FALSE(mayOverlap(tensor, b, a)) << lead << " " << rest << " " << first << " " << second;
        }
}

/// A tensor that is joined from parts, which are seen in other shapes and joined from parts again.
class NestedJoins {
public:
  explicit NestedJoins(uint32_t seed) : random_(seed) {}

  std::vector<Operand> draw() {
    leaves_.clear();
    const MapShape shape{pick(1, 4), pick(1, 4), pick(2, 12), kByte};
    tensor_ = shape;
    split(box(shape, 0, shape.width * shape.channels, shape.channels), 3);
    return leaves_;
  }
  const MapShape &tensor() const { return tensor_; }

private:
  uint32_t pick(uint32_t low, uint32_t high) { return low + uint32_t(random_() % (high - low + 1)); }

  /// A factor of the number, which is not 0.
  uint32_t factorOf(uint32_t number) {
    std::vector<uint32_t> factors;
    for (uint32_t factor = 1; factor <= number; ++factor)
      if (number % factor == 0)
        factors.push_back(factor);
    return factors[pick(0, uint32_t(factors.size()) - 1)];
  }

  /// Another shape of the same bytes, in the same order.
  Operand seen(Operand part) {
    MapShape &shape = part.shape;
    if (part.pixelStride == shape.channels && part.rowStride == shape.width * shape.channels) {
      const uint32_t all = shape.height * shape.width * shape.channels;
      shape.channels = factorOf(all);
      shape.width = factorOf(all / shape.channels);
      shape.height = all / shape.channels / shape.width;
      part.pixelStride = shape.channels;
      part.rowStride = shape.width * shape.channels;
    } else if (part.pixelStride == shape.channels) {
      const uint32_t row = shape.width * shape.channels;
      shape.channels = factorOf(row);
      shape.width = row / shape.channels;
      part.pixelStride = shape.channels;
    }
    if (shape.width == 1 && pick(0, 1) == 1) { // rows become pixels
      std::swap(shape.width, shape.height);
      part.pixelStride = part.rowStride;
      part.rowStride = shape.width * part.pixelStride;
    }
    return part;
  }

  void split(Operand part, int depth) {
    part = seen(part);
    uint32_t MapShape::*const axes[] = {&MapShape::height, &MapShape::width, &MapShape::channels};
    const uint32_t axis = pick(0, 2), extent = part.shape.*axes[axis];
    if (depth == 0 || extent < 2)
      return leaves_.push_back(part);
    const uint32_t first = pick(1, extent - 1), steps[] = {part.rowStride, part.pixelStride, 1};
    Operand rest = part;
    part.shape.*axes[axis] = first;
    rest.shape.*axes[axis] = extent - first;
    rest.offset += uint64_t(first) * steps[axis];
    split(part, depth - 1);
    split(rest, depth - 1);
  }

  std::mt19937 random_;
  MapShape tensor_;
  std::vector<Operand> leaves_;
};

TEST(OperandTest, PartsOfNestedJoinsAreApart) {
  NestedJoins joins(11);
  size_t pairs = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<Operand> leaves = joins.draw();
    for (size_t i = 0; i < leaves.size(); ++i)
      for (size_t j = 0; j < i; ++j, ++pairs)
        ASSERT_FALSE(mayOverlap(joins.tensor(), leaves[i], leaves[j]))
            << "round " << round << ", parts " << j << ", " << i;
  }
  EXPECT_GT(pairs, 100'000u);
}

TEST(OperandTest, CommonBytesAreNeverMissed) {
  std::mt19937 random(5);
  const auto pick = [&](uint32_t low, uint32_t high) { return low + uint32_t(random() % (high - low + 1)); };
  const auto draw = [&] {
    const MapShape shape{pick(1, 3), pick(1, 3), pick(1, 3), kByte};
    const uint32_t pixel = shape.channels + pick(0, 4), row = shape.width * pixel + pick(0, 8);
    return box(shape, pick(0, 20), row, pixel);
  };
  size_t apart = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Operand a = draw(), b = draw();
    const MapShape tensor{pick(1, 4), pick(1, 6), pick(1, 6), kByte};
    if (mayOverlap(tensor, a, b))
      continue;
    ++apart;
    const std::set<uint64_t> ofA = bytesOf(a);
    for (const uint64_t byte : bytesOf(b))
      ASSERT_FALSE(ofA.contains(byte)) << "round " << round;
  }
  EXPECT_GT(apart, 1000u);
}

} // namespace
} // namespace avocet::compiler::schedule
