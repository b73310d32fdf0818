//===- OperandTypesTest.cpp - Facts of the operand types --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

using enum ScaleRule;

/// A row of the HAL's documentation (hal 1.3 types.hal), in the order of the codes.
struct Facts {
  const char *name;
  uint32_t bytes;
  bool isTensor;
  Version since;
  ScaleRule scale;
  int32_t leastZeroPoint, mostZeroPoint;
};

constexpr Facts kFacts[] = {
    {"FLOAT32", 4, false, Version::V1_0, None, 0, 0},
    {"INT32", 4, false, Version::V1_0, None, 0, 0},
    {"UINT32", 4, false, Version::V1_0, None, 0, 0},
    {"TENSOR_FLOAT32", 4, true, Version::V1_0, None, 0, 0},
    {"TENSOR_INT32", 4, true, Version::V1_0, Optional, 0, 0},
    {"TENSOR_QUANT8_ASYMM", 1, true, Version::V1_0, Required, 0, 255},
    {"BOOL", 1, false, Version::V1_2, None, 0, 0},
    {"TENSOR_QUANT16_SYMM", 2, true, Version::V1_2, Required, 0, 0},
    {"TENSOR_FLOAT16", 2, true, Version::V1_2, None, 0, 0},
    {"TENSOR_BOOL8", 1, true, Version::V1_2, None, 0, 0},
    {"FLOAT16", 2, false, Version::V1_2, None, 0, 0},
    {"TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, true, Version::V1_2, None, 0, 0},
    {"TENSOR_QUANT16_ASYMM", 2, true, Version::V1_2, Required, 0, 65535},
    {"TENSOR_QUANT8_SYMM", 1, true, Version::V1_2, Required, 0, 0},
    {"TENSOR_QUANT8_ASYMM_SIGNED", 1, true, Version::V1_3, Required, -128, 127},
    {"SUBGRAPH", 0, false, Version::V1_3, None, 0, 0},
};

TEST(OperandTypes, HaveValuesOfTheHal) {
  ASSERT_EQ(allOperandTypes().size(), std::size(kFacts));
  for (size_t code = 0; code < std::size(kFacts); ++code) {
    const Facts &facts = kFacts[code];
    const OperandTypeInfo *info = findOperandType(static_cast<OperandType>(code));
    ASSERT_NE(info, nullptr) << facts.name;
    EXPECT_EQ(info->name, facts.name);
    EXPECT_EQ(info->byteSize, facts.bytes) << facts.name;
    EXPECT_EQ(info->isTensor, facts.isTensor) << facts.name;
    EXPECT_EQ(info->since, facts.since) << facts.name;
    EXPECT_EQ(info->scale, facts.scale) << facts.name;
    EXPECT_EQ(info->minZeroPoint, facts.leastZeroPoint) << facts.name;
    EXPECT_EQ(info->maxZeroPoint, facts.mostZeroPoint) << facts.name;
  }
}

} // namespace
} // namespace avocet::hal
