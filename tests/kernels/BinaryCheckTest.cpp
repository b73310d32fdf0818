//===- BinaryCheckTest.cpp - Hostile parameters of "binary" --- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Binary.h"

#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

/// A legal sum of i32: two rows of three elements, the second operand without the first axis.
class BinaryCheckTest : public testing::Test {
protected:
  BinaryCheckTest() {
    command_.kernel = *dspKernelNumber("binary");
    command_.inputs = {map(1, 6), map(1, 3)};
    command_.outputs = {map(1, 6)};
    parameters_.shape = {2, {2, 3}, {3, 1}, {0, 1}};
  }

  FeatureMap map(uint32_t height, uint32_t channels, uint32_t width = 1) {
    return sram_.map(DataType::Int32, height, width, channels, Placement::Dense, random_);
  }

  Status check() {
    command_.parameters = packParameters(parameters_);
    return findKernel(command_)->check(*testTarget(), command_);
  }

  Random random_{1};
  TestSram sram_;
  DspCommand command_;
  BinaryParameters parameters_;
};

TEST_F(BinaryCheckTest, UnchangedCaseIsLegal) { EXPECT_TRUE(check().isOk()) << check().toString(); }

TEST_F(BinaryCheckTest, RejectsShapesThatDifferFromOutput) {
  BroadcastShape legal = parameters_.shape;
  for (uint32_t extent : {0u, 1u, 4u, 0x80000000u, 0xFFFFFFFFu})
    for (uint32_t axis : {0u, 1u}) {
      parameters_.shape = legal;
      parameters_.shape.extents[axis] = extent;
      EXPECT_FALSE(check().isOk()) << extent;
    }
  parameters_.shape = {8, {65536, 65536, 65536, 65536, 1, 1, 2, 3}, {}, {}}; // the product is 6 modulo 2^64
  EXPECT_FALSE(check().isOk());
  for (uint32_t rank : {1u, 9u, 0xFFFFFFFFu}) {
    parameters_.shape = legal;
    parameters_.shape.rank = rank;
    EXPECT_FALSE(check().isOk()) << rank;
  }
}

TEST_F(BinaryCheckTest, RejectsStridesBeyondMap) {
  for (uint32_t stride : {4u, 0x40000000u, 0xFFFFFFFFu}) {
    parameters_.shape.stridesA = {stride, 1};
    EXPECT_FALSE(check().isOk()) << stride;
  }
  parameters_.shape.stridesA = {0, 0};
  EXPECT_TRUE(check().isOk());
  parameters_.shape.stridesB = {1, 1};
  EXPECT_FALSE(check().isOk());
}

TEST_F(BinaryCheckTest, RejectsInvalidNumbers) {
  auto broken = [&](auto &&breakIt) {
    BinaryParameters saved = parameters_;
    breakIt(parameters_);
    bool refused = !check().isOk();
    parameters_ = saved;
    return refused;
  };
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.kind = static_cast<BinaryKind>(kNumBinaryKinds); }));
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.clamp = {1, 0}; }));
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.leftShift = 31; }));
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.rescaleB.shift = 32; }));
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.rescaleOutput.multiplier = -1; }));
  EXPECT_TRUE(broken([](BinaryParameters &p) { p.scaleA = std::numeric_limits<float>::infinity(); }));
  command_.parameters = packParameters(parameters_);
  command_.parameters.pop_back();
  EXPECT_FALSE(findKernel(command_)->check(*testTarget(), command_).isOk());
}

TEST_F(BinaryCheckTest, RejectsShapedRowsOfSeveralPixels) {
  for (FeatureMap *operand : {&command_.outputs[0], &command_.inputs[0], &command_.inputs[1]}) {
    FeatureMap saved = *operand;
    *operand = map(1, operand->channels, 2);
    EXPECT_FALSE(check().isOk());
    *operand = map(2, operand->channels);
    EXPECT_EQ(check().isOk(), operand == &command_.outputs[0]);
    *operand = saved;
  }
}

} // namespace
} // namespace avocet::kernels
