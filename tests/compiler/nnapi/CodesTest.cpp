//===- CodesTest.cpp - The codes of NNAPI against the standard ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expected rows of operand types repeat the published ones (aidl OperandType.aidl), so that a change of the table
// by mistake fails. Codes and names of operations are compared with NeuralNetworks.h (tests/hal/nnapi), their levels
// with the versions of their signatures (tests/hal/types).
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/Codes.h"

#include <gtest/gtest.h>

#include <cctype>
#include <iterator>
#include <string>

namespace avocet::nnapi {
namespace {

enum class Kind { Scalar, Tensor, Other };

struct ExpectedType {
  OperandType type;
  int32_t code;
  std::string_view name;
  uint32_t bytes;
  uint32_t level;
  Kind kind;
};

constexpr ExpectedType kExpectedTypes[] = {
    {OperandType::Float32, 0, "FLOAT32", 4, 1, Kind::Scalar},
    {OperandType::Int32, 1, "INT32", 4, 1, Kind::Scalar},
    {OperandType::UInt32, 2, "UINT32", 4, 1, Kind::Scalar},
    {OperandType::TensorFloat32, 3, "TENSOR_FLOAT32", 4, 1, Kind::Tensor},
    {OperandType::TensorInt32, 4, "TENSOR_INT32", 4, 1, Kind::Tensor},
    {OperandType::TensorQuant8Asymm, 5, "TENSOR_QUANT8_ASYMM", 1, 1, Kind::Tensor},
    {OperandType::Bool, 6, "BOOL", 1, 3, Kind::Scalar},
    {OperandType::TensorQuant16Symm, 7, "TENSOR_QUANT16_SYMM", 2, 3, Kind::Tensor},
    {OperandType::TensorFloat16, 8, "TENSOR_FLOAT16", 2, 3, Kind::Tensor},
    {OperandType::TensorBool8, 9, "TENSOR_BOOL8", 1, 3, Kind::Tensor},
    {OperandType::Float16, 10, "FLOAT16", 2, 3, Kind::Scalar},
    {OperandType::TensorQuant8SymmPerChannel, 11, "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, 3, Kind::Tensor},
    {OperandType::TensorQuant16Asymm, 12, "TENSOR_QUANT16_ASYMM", 2, 3, Kind::Tensor},
    {OperandType::TensorQuant8Symm, 13, "TENSOR_QUANT8_SYMM", 1, 3, Kind::Tensor},
    {OperandType::TensorQuant8AsymmSigned, 14, "TENSOR_QUANT8_ASYMM_SIGNED", 1, 4, Kind::Tensor},
    {OperandType::Subgraph, 15, "SUBGRAPH", 0, 4, Kind::Other},
};

TEST(OperandTypeTest, HasPublishedCodesNamesSizesAndLevels) {
  ASSERT_EQ(kOperandTypes.size(), std::size(kExpectedTypes));
  for (const ExpectedType &expected : kExpectedTypes) {
    EXPECT_EQ(static_cast<int32_t>(expected.type), expected.code) << expected.name;
    EXPECT_EQ(nameOf(expected.type), expected.name);
    EXPECT_EQ(elementBytes(expected.type), expected.bytes) << expected.name;
    EXPECT_EQ(infoOf(expected.type)->level, expected.level) << expected.name;
    EXPECT_EQ(isScalar(expected.type), expected.kind == Kind::Scalar) << expected.name;
    EXPECT_EQ(isTensor(expected.type), expected.kind == Kind::Tensor) << expected.name;
  }
}

TEST(OperationTypeTest, UnknownCodesHaveNoRow) {
  for (int32_t code : {-1, 106, 10000, 0x10000, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(infoOf(static_cast<OperationType>(code)), nullptr) << code;
    EXPECT_EQ(nameOf(static_cast<OperationType>(code)), "") << code;
  }
}

TEST(OperandTypeTest, UnknownCodesHaveNoRow) {
  for (int32_t code : {-1, 16, 10000, 0x10003, INT32_MIN, INT32_MAX}) {
    const auto type = static_cast<OperandType>(code);
    EXPECT_EQ(infoOf(type), nullptr) << code;
    EXPECT_EQ(nameOf(type), "") << code;
    EXPECT_EQ(elementBytes(type), 0u) << code;
    EXPECT_FALSE(isScalar(type) || isTensor(type)) << code;
  }
}

/// Lower-case letters and digits only.
std::string lettersOf(std::string_view name) {
  std::string letters;
  for (char letter : name)
    if (letter != '_')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

TEST(CodesTest, EnumeratorsAreNamesInCamelCase) {
#define AVOCET_NNAPI_OPERATION(CODE, ENUMERATOR, NAME, LEVEL) EXPECT_EQ(lettersOf(#ENUMERATOR), lettersOf(NAME));
#include "avocet/nnapi/Operations.inc"
#define AVOCET_NNAPI_OPERAND_TYPE(CODE, ENUMERATOR, NAME, BYTES, LEVEL)                                                \
  EXPECT_EQ(lettersOf(#ENUMERATOR), lettersOf(NAME));
#include "avocet/nnapi/OperandTypes.inc"
}

} // namespace
} // namespace avocet::nnapi
