//===- UtilsTest.cpp - Queries on the canonical types ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"
#include "Models.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace avocet::hal::test {
namespace {

using enum OperandType;

TEST(Utils, ClassifiesTypes) {
  size_t tensors = 0;
  size_t scalars = 0;
  for (const OperandTypeInfo &info : allOperandTypes()) {
    tensors += isTensor(info.type) ? 1 : 0;
    scalars += isScalar(info.type) ? 1 : 0;
    EXPECT_FALSE(isExtension(info.type)) << info.name;
  }
  EXPECT_EQ(tensors, 10U);
  EXPECT_EQ(scalars, 5U);
  EXPECT_TRUE(isExtension(static_cast<OperandType>(0x10000)));
  EXPECT_TRUE(isExtension(static_cast<OperandType>(-1)));
  EXPECT_EQ(extensionPrefix(static_cast<OperandType>(0x7FFF0003)), 0x7FFF);
  EXPECT_EQ(extensionPrefix(extensionOperation(5, 2)), 5);
  EXPECT_TRUE(isOem(kTensorOemByte));
  EXPECT_TRUE(isQuantized(TensorQuant8SymmPerChannel));
  EXPECT_FALSE(isQuantized(TensorInt32));
}

TEST(Utils, ComputesSizesOfValues) {
  auto size = [](OperandType type, std::vector<uint32_t> dimensions) { return getNonExtensionSize(type, dimensions); };
  EXPECT_EQ(size(Float32, {}), 4U);
  EXPECT_EQ(size(Bool, {}), 1U);
  EXPECT_EQ(size(TensorFloat16, {2, 3}), 12U);
  EXPECT_EQ(size(TensorQuant8Asymm, {0xFFFFFFFF}), 0xFFFFFFFFU);
  EXPECT_EQ(size(TensorFloat16, {0xFFFFFFFF}), std::nullopt);
  EXPECT_EQ(size(TensorFloat32, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}), std::nullopt);
  EXPECT_EQ(size(TensorFloat32, {0, 0xFFFFFFFF, 0xFFFFFFFF}), std::nullopt) << "the known extents alone are too large";
  EXPECT_EQ(size(TensorFloat32, {}), 0U);
  EXPECT_EQ(size(TensorFloat32, {2, 0}), 0U);
  EXPECT_EQ(size(OperandType::Subgraph, {}), 0U);
  EXPECT_EQ(size(static_cast<OperandType>(0x10000), {2}), std::nullopt);
  EXPECT_EQ(size(kTensorOemByte, {2}), std::nullopt);
}

TEST(Utils, ChecksOverflow) {
  EXPECT_EQ(checkedAdd(~uint64_t{0}, 0), ~uint64_t{0});
  EXPECT_EQ(checkedAdd(~uint64_t{0}, 1), std::nullopt);
  EXPECT_EQ(checkedMultiply(uint64_t{1} << 32, uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(checkedRoundUp(65, 64), 128U);
  EXPECT_EQ(checkedRoundUp(64, 64), 64U);
  EXPECT_EQ(checkedRoundUp(~uint64_t{0}, 64), std::nullopt);
}

TEST(Utils, CombinesShapes) {
  using Shape = std::vector<uint32_t>;
  EXPECT_EQ(combineDimensions(Shape{2, 0}, Shape{0, 3}), (Shape{2, 3}));
  EXPECT_EQ(combineDimensions(Shape{}, Shape{0, 3}), (Shape{0, 3}));
  EXPECT_EQ(combineDimensions(Shape{2, 3}, Shape{}), (Shape{2, 3}));
  EXPECT_EQ(combineDimensions(Shape{2, 3}, Shape{2, 4}), std::nullopt);
  EXPECT_EQ(combineDimensions(Shape{2, 3}, Shape{2}), std::nullopt);
  EXPECT_TRUE(isFullySpecified(tensor(Int32, {})));
  EXPECT_FALSE(isFullySpecified(tensor(TensorInt32, {})));
  EXPECT_FALSE(isFullySpecified(tensor(TensorInt32, {1, 0})));
}

TEST(Utils, MemoriesHaveSizesAndKinds) {
  auto memory = [](MemoryHandle handle) { return Memory{std::move(handle)}; };
  EXPECT_EQ(sizeOf(memory(Ashmem{nullptr, 7})), 7U);
  EXPECT_EQ(sizeOf(memory(HardwareBuffer{nullptr, false, 9})), 0U);
  EXPECT_EQ(sizeOf(memory(HardwareBuffer{nullptr, true, 9})), 9U);
}

TEST(Utils, NamesKnownAndUnknownCodes) {
  EXPECT_EQ(toString(TensorQuant8SymmPerChannel), "TENSOR_QUANT8_SYMM_PER_CHANNEL");
  EXPECT_EQ(toString(static_cast<OperandType>(16)), "unknown type 16");
  EXPECT_EQ(toString(static_cast<OperandType>(3 << 16 | 7)), "extension 3 type 7");
  EXPECT_EQ(toString(kOemScalar), "OEM");
  EXPECT_EQ(operationName(OperationType::Conv2d), "CONV_2D");
  EXPECT_EQ(operationName(kOemOperation), "OEM_OPERATION");
  EXPECT_EQ(operationName(extensionOperation(3, 7)), "extension 3 operation 7");
  EXPECT_EQ(toString(OperandLifeTime::NoValue), "NO_VALUE");
  EXPECT_EQ(toString(static_cast<OperandLifeTime>(-1)), "unknown code -1");
  EXPECT_EQ(toString(Version::AidlV3), "AIDL v3");
  EXPECT_EQ(toString(Priority::High), "HIGH");
  EXPECT_EQ(toString(ExecutionPreference::SustainedSpeed), "SUSTAINED_SPEED");
  EXPECT_EQ(toString(DeviceType::Accelerator), "ACCELERATOR");
  EXPECT_EQ(toString(DeviceStatus::Busy), "BUSY");
  EXPECT_EQ(toString(MeasureTiming::Yes), "YES");
  EXPECT_EQ(toString(std::vector<uint32_t>{1, 0, 3}), "[1,?,3]");
  EXPECT_EQ(toString(std::vector<uint32_t>{}), "[]");
}

} // namespace
} // namespace avocet::hal::test
