//===- SimplificationTest.cpp - Models as devices get them ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevices.h"

namespace avocet::nnapi::testing {
namespace {

class SimplificationTest : public FakeDevicesTest {
protected:
  void SetUp() override {
    FakeDevicesTest::SetUp();
    npu_.operations.insert(
        {hal::OperationType::Softmax, hal::OperationType::Conv2d, hal::OperationType::AveragePool2d});
  }

  /// The model that reaches the device.
  hal::Model received(const Model &model) {
    const Compilation compilation = compile(model);
    return npu_.models.back();
  }

  /// The number of arguments of the only operation.
  size_t arguments(const Model &model) { return received(model).main.operations.front().inputs.size(); }
};

Model softmax(int32_t axis) {
  ModelMaker maker;
  const float one = 1;
  const uint32_t input = maker.floats({2, 3}), beta = maker.operand({ANEURALNETWORKS_FLOAT32});
  NEED(ANeuralNetworksModel_setOperandValue(maker.get(), static_cast<int32_t>(beta), &one, sizeof(one)));
  const uint32_t last = maker.scalar(axis), output = maker.floats({2, 3});
  maker.operation(ANEURALNETWORKS_SOFTMAX, {input, beta, last}, {output});
  maker.identify({input}, {output});
  return maker.finish();
}

/// With implicit padding, strides of 1, an activation of code 1, and dilation factors.
Model convolution(bool isChannelsFirst, int32_t dilationX, int32_t dilationY) {
  ModelMaker maker;
  const float values[] = {1};
  const uint32_t input = maker.floats({1, 2, 2, 1}), filter = maker.constant({1, 1, 1, 1}, values);
  const uint32_t bias = maker.constant({1}, values), one = maker.scalar(1);
  const uint32_t layout = maker.operand({ANEURALNETWORKS_BOOL});
  NEED(ANeuralNetworksModel_setOperandValue(maker.get(), static_cast<int32_t>(layout), &isChannelsFirst, 1));
  const uint32_t x = maker.scalar(dilationX), y = maker.scalar(dilationY);
  const uint32_t output = maker.floats({1, 2, 2, 1});
  maker.operation(ANEURALNETWORKS_CONV_2D, {input, filter, bias, one, one, one, one, layout, x, y}, {output});
  maker.identify({input}, {output});
  return maker.finish();
}

/// With explicit padding of 0; strides, window and activation have the code 1.
Model pool(bool isChannelsFirst) {
  ModelMaker maker;
  const uint32_t input = maker.floats({1, 2, 2, 1}), none = maker.scalar(0), one = maker.scalar(1);
  const uint32_t layout = maker.operand({ANEURALNETWORKS_BOOL}), output = maker.floats({1, 2, 2, 1});
  NEED(ANeuralNetworksModel_setOperandValue(maker.get(), static_cast<int32_t>(layout), &isChannelsFirst, 1));
  maker.operation(ANEURALNETWORKS_AVERAGE_POOL_2D, {input, none, none, none, none, one, one, one, one, one, layout},
                  {output});
  maker.identify({input}, {output});
  return maker.finish();
}

TEST_F(SimplificationTest, KeepsArgumentsOfExplicitPadding) {
  EXPECT_EQ(arguments(pool(false)), 10U);
  EXPECT_EQ(arguments(pool(true)), 11U);
}

TEST_F(SimplificationTest, DropsDefaultArgumentsAtTheEnd) {
  EXPECT_EQ(arguments(softmax(-1)), 2U);
  EXPECT_EQ(arguments(softmax(1)), 3U);
  EXPECT_EQ(arguments(convolution(false, 1, 1)), 7U);
  EXPECT_EQ(arguments(convolution(true, 1, 1)), 8U);
}

TEST_F(SimplificationTest, KeepsDefaultsBesideOtherValues) {
  EXPECT_EQ(arguments(convolution(false, 2, 1)), 10U) << "no form has one dilation factor";
  EXPECT_EQ(arguments(convolution(false, 1, 2)), 10U);
}

TEST_F(SimplificationTest, DropsConstantsThatNothingReads) {
  ModelMaker maker;
  const float values[] = {100, 200};
  maker.scalar(7);
  maker.constant({2}, values);
  const uint32_t input = maker.floats({2});
  maker.scalar(8);
  const uint32_t sum = maker.floats({2}), addend = maker.constant({2}, values);
  maker.add(input, addend, sum);
  maker.identify({input}, {sum});
  const Model finished = maker.finish();
  const hal::Model model = received(finished);
  EXPECT_EQ(model.main.operands.size(), 4U);
  EXPECT_EQ(model.operandValues.size(), 20U) << "the addend at 0, the activation at 16";
  const Compilation compilation = compile(finished);
  const Execution execution = executionOf(compilation);
  const float x[] = {1, 2};
  float y[2] = {};
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, x, sizeof(x)));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, y, sizeof(y)));
  NEED(ANeuralNetworksExecution_compute(execution.get()));
  EXPECT_EQ(y[1], 202);
}

} // namespace
} // namespace avocet::nnapi::testing
