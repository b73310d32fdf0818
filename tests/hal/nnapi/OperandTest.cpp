//===- OperandTest.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace avocet::nnapi::testing {
namespace {

class OperandTest : public ::testing::Test {
protected:
  int add(const Type &type) { return ANeuralNetworksModel_addOperand(maker_.get(), type.get()); }
  ModelMaker maker_;
};

TEST_F(OperandTest, NullIsRefused) {
  EXPECT_EQ(kNull, ANeuralNetworksModel_create(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksModel_addOperand(nullptr, Type(ANEURALNETWORKS_FLOAT32).get()));
  EXPECT_EQ(kNull, ANeuralNetworksModel_addOperand(maker_.get(), nullptr));
}

TEST_F(OperandTest, EveryTypeIsAccepted) {
  for (int32_t code = 0; code <= ANEURALNETWORKS_MODEL; ++code) {
    const bool hasScale = code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM || code == ANEURALNETWORKS_TENSOR_QUANT16_SYMM ||
                          code == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM || code == ANEURALNETWORKS_TENSOR_QUANT8_SYMM ||
                          code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    EXPECT_EQ(kOk, add({code, {}, hasScale ? 0.5f : 0.0f})) << code;
    EXPECT_EQ(hasScale ? kBadData : kOk, add({code})) << code;
  }
}

TEST_F(OperandTest, UnknownTypesAreRefused) {
  for (int32_t code : {16, 17, 9999, 10002, 0xFFFF, 0x7FFF0000, -1, std::numeric_limits<int32_t>::min()})
    EXPECT_EQ(kBadData, add({code})) << code;
}

TEST_F(OperandTest, OemTypesAreAccepted) {
  EXPECT_EQ(kOk, add({10000}));
  EXPECT_EQ(kOk, add({10001, {4}}));
  char bytes[20] = {};
  EXPECT_EQ(kOk, ANeuralNetworksModel_setOperandValue(maker_.get(), 0, bytes, sizeof(bytes)));
  EXPECT_EQ(kOk, ANeuralNetworksModel_setOperandValue(maker_.get(), 1, bytes, 4));
}

TEST_F(OperandTest, DimensionsMustAgreeWithTheirCount) {
  const uint32_t extent = 2;
  ANeuralNetworksOperandType type{ANEURALNETWORKS_TENSOR_FLOAT32, 1, nullptr, 0, 0};
  EXPECT_EQ(kBadData, ANeuralNetworksModel_addOperand(maker_.get(), &type));
  type.dimensionCount = 0;
  type.dimensions = &extent;
  EXPECT_EQ(kBadData, ANeuralNetworksModel_addOperand(maker_.get(), &type));
}

TEST_F(OperandTest, ScalarsHaveNoDimensions) {
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_INT32, {1}}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_BOOL, {0}}));
}

TEST_F(OperandTest, ScalesOfWrongSignOrKindAreRefused) {
  for (float scale : {-1.0f, 0.0f, std::nanf(""), std::numeric_limits<float>::infinity()})
    EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, scale})) << scale;
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 1.0f}));
  EXPECT_EQ(kOk, add({ANEURALNETWORKS_TENSOR_INT32, {2}, 0.25f})); // a bias
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_INT32, {2}, -0.25f}));
}

TEST_F(OperandTest, ZeroPointsBeyondTheTypeAreRefused) {
  EXPECT_EQ(kOk, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, 255}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, 256}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, -1}));
  EXPECT_EQ(kOk, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {2}, 1, -128}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {2}, 1, 128}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_QUANT16_SYMM, {2}, 1, 1}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 0, 1}));
}

TEST_F(OperandTest, TensorsAboveFourGigabytesAreRefused) {
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_FLOAT32, {5, 4, 4, 786433, 5, 3, 16777216, 4, 5}}));
  EXPECT_EQ(kBadData, add({ANEURALNETWORKS_TENSOR_FLOAT32, {1U << 30}}));
  EXPECT_EQ(kOk, add({ANEURALNETWORKS_TENSOR_FLOAT32, {0, 1U << 20}}));
}

TEST_F(OperandTest, ChannelScalesMustFitTheOperand) {
  maker_.operand({ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3}});
  maker_.floats({2});
  const float scales[] = {1, 2, 4}, bad[] = {1, -2};
  auto set = [&](int32_t index, ANeuralNetworksSymmPerChannelQuantParams given) {
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(maker_.get(), index, &given);
  };
  EXPECT_EQ(kOk, set(0, {0, 2, scales}));
  EXPECT_EQ(kOk, set(0, {1, 3, scales})); // replaces the former
  EXPECT_EQ(kBadData, set(0, {2, 2, scales}));
  EXPECT_EQ(kBadData, set(0, {0, 3, scales}));
  EXPECT_EQ(kBadData, set(0, {0, 0, scales}));
  EXPECT_EQ(kBadData, set(0, {0, 2, bad}));
  EXPECT_EQ(kNull, set(0, {0, 2, nullptr}));
  EXPECT_EQ(kBadData, set(1, {0, 2, scales}));
  EXPECT_EQ(kBadData, set(2, {0, 2, scales}));
  EXPECT_EQ(kBadData, set(-1, {0, 2, scales}));
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(maker_.get(), 0, nullptr));
  const ANeuralNetworksSymmPerChannelQuantParams good{0, 2, scales};
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(nullptr, 0, &good));
}

TEST_F(OperandTest, ExtensionCodesAreStablePerName) {
  int32_t first = 0, again = 0, second = 0;
  ASSERT_EQ(kOk, ANeuralNetworksModel_getExtensionOperationType(maker_.get(), "com.avocet.tflite", 0, &first));
  ASSERT_EQ(kOk, ANeuralNetworksModel_getExtensionOperationType(maker_.get(), "com.avocet.tflite", 0, &again));
  ASSERT_EQ(kOk, ANeuralNetworksModel_getExtensionOperandType(maker_.get(), "com.avocet.tflite", 7, &second));
  EXPECT_EQ(first, again);
  EXPECT_EQ(first + 7, second);
  EXPECT_GT(first, 0xFFFF);
  EXPECT_EQ(kBadData, ANeuralNetworksModel_getExtensionOperandType(maker_.get(), "no.such.extension", 0, &second));
}

TEST_F(OperandTest, ExtensionCodesNeedAllArguments) {
  int32_t type = 0;
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperandType(nullptr, "com.avocet.tflite", 0, &type));
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperandType(maker_.get(), nullptr, 0, &type));
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperandType(maker_.get(), "com.avocet.tflite", 0, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperationType(nullptr, "com.avocet.tflite", 0, &type));
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperationType(maker_.get(), nullptr, 0, &type));
  EXPECT_EQ(kNull, ANeuralNetworksModel_getExtensionOperationType(maker_.get(), "com.avocet.tflite", 0, nullptr));
}

TEST_F(OperandTest, ExtensionDataNeedsAnExtensionOperand) {
  int32_t type = 0;
  NEED(ANeuralNetworksModel_getExtensionOperandType(maker_.get(), "com.avocet.tflite", 3, &type));
  maker_.operand({type});
  maker_.floats({2});
  const int32_t data = 42;
  auto set = [&](int32_t index, const void *bytes, size_t length) {
    return ANeuralNetworksModel_setOperandExtensionData(maker_.get(), index, bytes, length);
  };
  EXPECT_EQ(kOk, set(0, &data, sizeof(data)));
  EXPECT_EQ(kOk, set(0, nullptr, 0));
  EXPECT_EQ(kNull, set(0, nullptr, sizeof(data)));
  EXPECT_EQ(kBadData, set(0, &data, 0));
  EXPECT_EQ(kBadData, set(1, &data, sizeof(data)));
  EXPECT_EQ(kBadData, set(2, &data, sizeof(data)));
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, &data, sizeof(data)));
}

} // namespace
} // namespace avocet::nnapi::testing
