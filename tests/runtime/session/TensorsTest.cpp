//===- TensorsTest.cpp - Raw tensors in files and in memory ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Tensors.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace avocet::session {
namespace {

cache::OperandView operand(firmware::DataType type, std::span<const float> scales,
                           std::span<const int32_t> zeroPoints) {
  return {"x", type, {}, 4, scales, zeroPoints, -1};
}

TEST(TensorsTest, StoresAndLoadsRealNumbers) {
  const float scale[] = {0.5f};
  const int32_t zeroPoint[] = {-10};
  uint8_t bytes[4] = {};
  cache::OperandView quantized = operand(firmware::DataType::Int8, scale, zeroPoint);
  ASSERT_TRUE(storeReal(quantized, 3.1, 2, bytes).isOk());
  EXPECT_EQ(static_cast<int8_t>(bytes[2]), -4);
  EXPECT_EQ(realValue(quantized, bytes, 2), 3.0);
  ASSERT_TRUE(storeReal(quantized, 1e9, 0, bytes).isOk());
  EXPECT_EQ(static_cast<int8_t>(bytes[0]), 127);
  ASSERT_TRUE(storeReal(operand(firmware::DataType::UInt8, {}, {}), -5, 1, bytes).isOk());
  EXPECT_EQ(bytes[1], 0);
  cache::OperandView real = operand(firmware::DataType::Float32, {}, {});
  ASSERT_TRUE(storeReal(real, 0.25, 0, bytes).isOk());
  EXPECT_EQ(realValue(real, bytes, 0), 0.25);
  EXPECT_EQ(storeReal(operand(firmware::DataType::Int64, {}, {}), 1, 0, bytes).code(), StatusCode::Unsupported);
}

TEST(TensorsTest, LoadsNumbersOf16Bits) {
  const uint8_t bytes[] = {0x20, 0xC0, 0x00, 0x41};
  EXPECT_EQ(realValue(operand(firmware::DataType::BFloat16, {}, {}), bytes, 0), -2.5);
  EXPECT_EQ(realValue(operand(firmware::DataType::BFloat16, {}, {}), bytes, 1), 8);
  EXPECT_EQ(realValue(operand(firmware::DataType::Float16, {}, {}), bytes, 1), 2.5);
}

TEST(TensorsTest, RandomNumbersCoverRangeOfType) {
  std::vector<uint8_t> bytes(4096);
  fillRandom(firmware::DataType::Int8, 1, bytes);
  EXPECT_EQ(std::set<uint8_t>(bytes.begin(), bytes.end()).size(), 256u);
  fillRandom(firmware::DataType::Bool8, 1, bytes);
  EXPECT_EQ(std::set<uint8_t>(bytes.begin(), bytes.end()), (std::set<uint8_t>{0, 1}));
  fillRandom(firmware::DataType::BFloat16, 1, bytes);
  for (size_t i = 0; i < bytes.size() / 2; ++i)
    ASSERT_LE(std::fabs(realValue(operand(firmware::DataType::BFloat16, {}, {}), bytes, i)), 1) << i;
  EXPECT_GT(std::set<uint8_t>(bytes.begin(), bytes.end()).size(), 200u);
  fillRandom(firmware::DataType::Float32, 1, bytes);
  float least = 1, most = -1;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    float value;
    std::memcpy(&value, &bytes[i], 4);
    ASSERT_LE(std::fabs(value), 1.0f);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_LT(least, -0.9f);
  EXPECT_GT(most, 0.9f);
}

} // namespace
} // namespace avocet::session
