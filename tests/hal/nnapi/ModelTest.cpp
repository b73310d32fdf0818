//===- ModelTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <numeric>

namespace avocet::nnapi::testing {
namespace {

class ModelTest : public ::testing::Test {
protected:
  int operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    return ANeuralNetworksModel_addOperation(maker_.get(), code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                                             static_cast<uint32_t>(outputs.size()), outputs.data());
  }
  int identify(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    return ANeuralNetworksModel_identifyInputsAndOutputs(maker_.get(), static_cast<uint32_t>(inputs.size()),
                                                         inputs.data(), static_cast<uint32_t>(outputs.size()),
                                                         outputs.data());
  }
  int finish() { return ANeuralNetworksModel_finish(maker_.get()); }
  /// Operands 0, 1 and 2 are tensors, 3 is the activation.
  void addOperands() {
    for (int i = 0; i < 3; ++i)
      maker_.floats({2});
    maker_.scalar(0);
  }

  ModelMaker maker_;
};

TEST_F(ModelTest, NullIsRefused) {
  addOperands();
  const uint32_t index = 0;
  ANeuralNetworksModel *model = maker_.get();
  EXPECT_EQ(kNull, ANeuralNetworksModel_addOperation(nullptr, ANEURALNETWORKS_RELU, 1, &index, 1, &index));
  EXPECT_EQ(kNull, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 0, nullptr, 1, &index));
  EXPECT_EQ(kNull, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &index, 0, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 1, &index, 1, &index));
  EXPECT_EQ(kNull, ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, nullptr, 1, &index));
  EXPECT_EQ(kNull, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &index, 0, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true));
  EXPECT_EQ(kNull, ANeuralNetworksModel_finish(nullptr));
  ANeuralNetworksModel_free(nullptr);
}

TEST_F(ModelTest, EmptyModelIsInvalid) {
  EXPECT_EQ(kBadData, finish());
  EXPECT_EQ(kBadState, finish());
}

TEST_F(ModelTest, FinishedModelIsNotChanged) {
  const Model model = addModel();
  const uint32_t index = 0;
  const float value = 0;
  int32_t type = 0;
  ANeuralNetworksModel *raw = model.get();
  EXPECT_EQ(kBadState, ANeuralNetworksModel_finish(raw));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_addOperand(raw, Type(ANEURALNETWORKS_INT32).get()));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandValue(raw, 0, &value, sizeof(value)));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandValue(raw, 0, nullptr, 0));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandValueFromMemory(raw, 0, SharedFile(8).memory().get(), 0, 8));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandValueFromModel(raw, 0, addModel().get()));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_addOperation(raw, ANEURALNETWORKS_RELU, 1, &index, 1, &index));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_identifyInputsAndOutputs(raw, 1, &index, 1, &index));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_relaxComputationFloat32toFloat16(raw, true));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandExtensionData(raw, 0, &type, sizeof(type)));
  const ANeuralNetworksSymmPerChannelQuantParams scales{0, 1, &value};
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(raw, 0, &scales));
}

TEST_F(ModelTest, UnknownOperationsAreRefused) {
  addOperands();
  for (int32_t code : {-1, ANEURALNETWORKS_REVERSE + 1, 0xFFFF, 0x7FFF0000})
    EXPECT_EQ(kBadData, operation(code, {0}, {1})) << code;
}

TEST_F(ModelTest, UnknownOperandsAreRefused) {
  addOperands();
  EXPECT_EQ(kBadData, operation(ANEURALNETWORKS_ADD, {0, 4, 3}, {2}));
  EXPECT_EQ(kBadData, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {UINT32_MAX}));
  EXPECT_EQ(kBadData, identify({0, 4}, {2}));
  EXPECT_EQ(kBadData, identify({0, 1}, {4}));
}

TEST_F(ModelTest, OperandsMustFitTheOperation) {
  addOperands();
  EXPECT_EQ(kBadData, operation(ANEURALNETWORKS_ADD, {0, 1}, {2}));
  EXPECT_EQ(kBadData, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2, 2}));
  EXPECT_EQ(kBadData, operation(ANEURALNETWORKS_ADD, {0, 1, 1}, {2}));
  EXPECT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
}

TEST_F(ModelTest, OperandCannotBeInputAndOutput) {
  addOperands();
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  EXPECT_EQ(kBadData, identify({0, 1, 2}, {2}));
  EXPECT_EQ(kBadData, identify({0, 0, 1}, {2}));
  EXPECT_EQ(kBadData, identify({0, 1}, {2, 2}));
  EXPECT_EQ(kBadData, identify({0, 1, 3}, {2})); // a constant
  EXPECT_EQ(kOk, identify({0, 1}, {2}));
  EXPECT_EQ(kOk, finish());
}

TEST_F(ModelTest, LastInputsAndOutputsCount) {
  addOperands();
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  ASSERT_EQ(kOk, identify({0}, {2}));
  ASSERT_EQ(kOk, identify({1, 0}, {2}));
  EXPECT_EQ(kOk, finish());
}

TEST_F(ModelTest, ConstantSetAfterIdentificationIsRefused) {
  addOperands();
  const float values[] = {1, 2};
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  ASSERT_EQ(kOk, identify({0, 1}, {2}));
  // As in Android, the operand becomes a constant, and the model invalid.
  const int set = ANeuralNetworksModel_setOperandValue(maker_.get(), 1, values, sizeof(values));
  EXPECT_EQ(kBadData, set == kOk ? finish() : set);
}

TEST_F(ModelTest, ModelWithoutIdentificationIsInvalid) {
  addOperands();
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  EXPECT_EQ(kBadData, finish());
}

TEST_F(ModelTest, CycleIsRefused) {
  addOperands();
  maker_.floats({2});
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 4, 3}, {1}));
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {4}));
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_RELU, {4}, {2}));
  ASSERT_EQ(kOk, identify({0}, {2}));
  EXPECT_EQ(kBadData, finish());
}

TEST_F(ModelTest, OperandThatNoneWritesIsRefused) {
  addOperands();
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  ASSERT_EQ(kOk, identify({0}, {2}));
  EXPECT_EQ(kBadData, finish());
}

TEST_F(ModelTest, OperandWrittenTwiceIsRefused) {
  addOperands();
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_RELU, {0}, {2}));
  ASSERT_EQ(kOk, identify({0, 1}, {2}));
  EXPECT_EQ(kBadData, finish());
}

TEST_F(ModelTest, InvalidModelCannotBeUsed) {
  ASSERT_EQ(kBadData, finish());
  ANeuralNetworksCompilation *compilation = nullptr;
  bool supported[1];
  const ANeuralNetworksDevice *device = firstDevice();
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_create(maker_.get(), &compilation));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_createForDevices(maker_.get(), &device, 1, &compilation));
  EXPECT_EQ(kBadState, ANeuralNetworksModel_getSupportedOperationsForDevices(maker_.get(), &device, 1, supported));
  ModelMaker outer;
  outer.operand({ANEURALNETWORKS_MODEL});
  EXPECT_EQ(kBadState, ANeuralNetworksModel_setOperandValueFromModel(outer.get(), 0, maker_.get()));
}

TEST_F(ModelTest, OperationsInAnyOrderRun) {
  // 1 + 2 + ... through a chain whose operations are added last to first.
  constexpr uint32_t kLength = 5;
  const float one[] = {1, 1};
  const uint32_t constant = maker_.constant({2}, one), first = maker_.floats({2});
  std::vector<uint32_t> values = {first};
  for (uint32_t i = 0; i < kLength; ++i)
    values.push_back(maker_.floats({2}));
  for (uint32_t i = kLength; i > 0; --i)
    maker_.add(values[i - 1], constant, values[i]);
  maker_.identify({first}, {values.back()});
  const Model model = maker_.finish();
  bool supported[kLength] = {};
  const ANeuralNetworksDevice *device = firstDevice();
  ASSERT_EQ(kOk, ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, supported));
  EXPECT_EQ(kLength, std::accumulate(supported, supported + kLength, 0U));
  const Compilation compilation = compile(model);
  const Execution execution = executionOf(compilation);
  float input[] = {0, 4}, output[2] = {};
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input, sizeof(input)));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, sizeof(output)));
  ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(execution.get()));
  EXPECT_EQ(5, output[0]);
  EXPECT_EQ(9, output[1]);
}

TEST_F(ModelTest, SupportIsTestedByCallOrder) {
  // The device cannot run the first call: its extension operation has no such number.
  const uint32_t input = maker_.floats({2}), middle = maker_.floats({2}), output = maker_.floats({2});
  int32_t code = 0;
  NEED(ANeuralNetworksModel_getExtensionOperationType(maker_.get(), "com.avocet.tflite", 9, &code));
  ASSERT_EQ(kOk, operation(code, {middle}, {output}));
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_RELU, {input}, {middle}));
  ASSERT_EQ(kOk, identify({input}, {output}));
  ASSERT_EQ(kOk, finish());
  bool supported[2] = {true, false};
  const ANeuralNetworksDevice *device = firstDevice();
  ASSERT_EQ(kOk, ANeuralNetworksModel_getSupportedOperationsForDevices(maker_.get(), &device, 1, supported));
  EXPECT_FALSE(supported[0]);
  EXPECT_TRUE(supported[1]);
}

TEST_F(ModelTest, SupportNeedsAllArguments) {
  const Model model = addModel();
  const ANeuralNetworksDevice *device = firstDevice(), *none = nullptr, *twice[] = {device, device};
  bool supported[1] = {};
  auto ask = [&](const ANeuralNetworksModel *asked, const ANeuralNetworksDevice *const *devices, uint32_t count,
                 bool *answer) {
    return ANeuralNetworksModel_getSupportedOperationsForDevices(asked, devices, count, answer);
  };
  EXPECT_EQ(kNull, ask(nullptr, &device, 1, supported));
  EXPECT_EQ(kNull, ask(model.get(), nullptr, 1, supported));
  EXPECT_EQ(kNull, ask(model.get(), &device, 1, nullptr));
  EXPECT_EQ(kNull, ask(model.get(), &none, 1, supported));
  EXPECT_EQ(kBadData, ask(model.get(), &device, 0, supported));
  EXPECT_EQ(kBadData, ask(model.get(), twice, 2, supported));
  EXPECT_EQ(kBadState, ask(maker_.get(), &device, 1, supported));
  EXPECT_EQ(kOk, ask(model.get(), &device, 1, supported));
}

TEST_F(ModelTest, RelaxedModelStillComputes) {
  addOperands();
  ASSERT_EQ(kOk, ANeuralNetworksModel_relaxComputationFloat32toFloat16(maker_.get(), true));
  ASSERT_EQ(kOk, ANeuralNetworksModel_relaxComputationFloat32toFloat16(maker_.get(), false));
  ASSERT_EQ(kOk, ANeuralNetworksModel_relaxComputationFloat32toFloat16(maker_.get(), true));
  ASSERT_EQ(kOk, operation(ANEURALNETWORKS_ADD, {0, 1, 3}, {2}));
  ASSERT_EQ(kOk, identify({0, 1}, {2}));
  const Compilation compilation = compile(maker_.finish());
  Addition addition(compilation);
  ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(addition.get()));
  EXPECT_TRUE(addition.isRight());
}

} // namespace
} // namespace avocet::nnapi::testing
