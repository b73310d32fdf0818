//===- ArgumentTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

namespace avocet::nnapi::testing {
namespace {

/// Executions of addModel(), and of the same with unknown extents.
class ArgumentTest : public ::testing::Test {
protected:
  int setInput(int32_t index, const void *place, size_t length, const ANeuralNetworksOperandType *type = nullptr) {
    return ANeuralNetworksExecution_setInput(execution_.get(), index, type, place, length);
  }
  int setOutput(int32_t index, void *place, size_t length, const ANeuralNetworksOperandType *type = nullptr) {
    return ANeuralNetworksExecution_setOutput(execution_.get(), index, type, place, length);
  }
  int setInputMemory(int32_t index, size_t offset, size_t length, const ANeuralNetworksOperandType *type = nullptr) {
    return ANeuralNetworksExecution_setInputFromMemory(execution_.get(), index, type, memory_.get(), offset, length);
  }
  int setOutputMemory(int32_t index, size_t offset, size_t length, const ANeuralNetworksOperandType *type = nullptr) {
    return ANeuralNetworksExecution_setOutputFromMemory(execution_.get(), index, type, memory_.get(), offset, length);
  }
  int compute() { return ANeuralNetworksExecution_compute(execution_.get()); }
  int enablePadding(bool enable = true) {
    return ANeuralNetworksExecution_enableInputAndOutputPadding(execution_.get(), enable);
  }

  const Compilation compilation_ = compile(addModel());
  Execution execution_ = executionOf(compilation_);
  float buffer_[64] = {1, 2}, output_[64] = {};
  const SharedFile file_{256};
  const Memory memory_ = file_.memory();
};

TEST_F(ArgumentTest, NullIsRefused) {
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setInput(nullptr, 0, nullptr, buffer_, 8));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setOutput(nullptr, 0, nullptr, buffer_, 8));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setInputFromMemory(nullptr, 0, nullptr, memory_.get(), 0, 8));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setOutputFromMemory(nullptr, 0, nullptr, memory_.get(), 0, 8));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setInputFromMemory(execution_.get(), 0, nullptr, nullptr, 0, 8));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setOutputFromMemory(execution_.get(), 0, nullptr, nullptr, 0, 8));
  EXPECT_EQ(kNull, setInput(0, nullptr, 8));
  EXPECT_EQ(kNull, setOutput(0, nullptr, 8));
}

TEST_F(ArgumentTest, UnknownIndicesAreRefused) {
  for (int32_t index : {-1, 2, 999, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(kBadData, setInput(index, buffer_, 8));
    EXPECT_EQ(kBadData, setInputMemory(index, 0, 8));
    EXPECT_EQ(kBadData, setOutput(index, output_, 8));
    EXPECT_EQ(kBadData, setOutputMemory(index, 0, 8));
  }
}

TEST_F(ArgumentTest, OtherLengthsAreRefused) {
  for (size_t length : {4U, 7U, 9U, 20U}) {
    EXPECT_EQ(kBadData, setInput(0, buffer_, length));
    EXPECT_EQ(kBadData, setInputMemory(0, 0, length));
    EXPECT_EQ(kBadData, setOutput(0, output_, length));
    EXPECT_EQ(kBadData, setOutputMemory(0, 0, length));
  }
  EXPECT_EQ(kBadData, setInput(0, buffer_, 0));
  EXPECT_EQ(kBadData, setOutput(0, output_, 0));
}

TEST_F(ArgumentTest, MemoryRangesMustFit) {
  for (size_t offset : {size_t{249}, size_t{257}, SIZE_MAX - 7, SIZE_MAX}) {
    EXPECT_EQ(kBadData, setInputMemory(0, offset, 8));
    EXPECT_EQ(kBadData, setOutputMemory(0, offset, 8));
  }
  EXPECT_EQ(kBadData, setInputMemory(0, 0, 0)); // the whole of an ordinary memory
  EXPECT_EQ(kOk, setInputMemory(0, 248, 8));
}

TEST_F(ArgumentTest, TypeMustBeValidAndAgree) {
  const uint32_t extent = 2;
  const ANeuralNetworksOperandType withoutList{ANEURALNETWORKS_TENSOR_FLOAT32, 1, nullptr, 0, 0};
  const ANeuralNetworksOperandType withoutCount{ANEURALNETWORKS_TENSOR_FLOAT32, 0, &extent, 0, 0};
  const Type otherExtent(ANEURALNETWORKS_TENSOR_FLOAT32, {3}), otherRank(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 1});
  const Type noType(999, {2});
  for (const auto *type : {&withoutList, &withoutCount, otherExtent.get(), otherRank.get(), noType.get()}) {
    EXPECT_EQ(kBadData, setInput(0, buffer_, 8, type));
    EXPECT_EQ(kBadData, setOutput(0, output_, 8, type));
    EXPECT_EQ(kBadData, setInputMemory(0, 0, 8, type));
    EXPECT_EQ(kBadData, setOutputMemory(0, 0, 8, type));
  }
  EXPECT_EQ(kOk, setInput(0, buffer_, 8, Type(ANEURALNETWORKS_TENSOR_FLOAT32, {2}).get()));
}

TEST_F(ArgumentTest, SecondValueIsRefused) {
  ASSERT_EQ(kOk, setInput(0, buffer_, 8));
  EXPECT_EQ(kBadState, setInput(0, buffer_, 8));
  EXPECT_EQ(kBadState, setInputMemory(0, 0, 8));
  ASSERT_EQ(kOk, setInputMemory(1, 0, 8));
  EXPECT_EQ(kBadState, setInput(1, buffer_, 8));
  ASSERT_EQ(kOk, setOutput(0, output_, 8));
  EXPECT_EQ(kBadState, setOutput(0, output_, 8));
  EXPECT_EQ(kBadState, setOutputMemory(0, 0, 8));
}

TEST_F(ArgumentTest, MissingValuesAreBadDataAndMayFollow) {
  EXPECT_EQ(kBadData, compute());
  ASSERT_EQ(kOk, setInput(0, buffer_, 8));
  ASSERT_EQ(kOk, setOutput(0, output_, 8));
  EXPECT_EQ(kBadData, compute());
  ASSERT_EQ(kOk, setInput(1, buffer_, 8));
  ASSERT_EQ(kOk, compute());
  EXPECT_EQ(2, output_[0]);
  EXPECT_EQ(4, output_[1]);
}

TEST_F(ArgumentTest, OmittedRequiredInputFails) {
  ASSERT_EQ(kOk, setInput(0, nullptr, 0));
  ASSERT_EQ(kOk, setInput(1, buffer_, 8));
  ASSERT_EQ(kOk, setOutput(0, output_, 8));
  EXPECT_NE(kOk, compute());
}

TEST_F(ArgumentTest, InputsAreReadWhenComputingStarts) {
  ASSERT_EQ(kOk, setInput(0, buffer_, 8));
  ASSERT_EQ(kOk, setInput(1, buffer_, 8));
  ASSERT_EQ(kOk, setOutput(0, output_, 8));
  buffer_[0] = 50;
  ASSERT_EQ(kOk, compute());
  EXPECT_EQ(100, output_[0]);
}

TEST_F(ArgumentTest, OneMemoryHoldsAllValues) {
  file_.floats()[0] = 3, file_.floats()[1] = 4;
  ASSERT_EQ(kOk, setInputMemory(0, 0, 8));
  ASSERT_EQ(kOk, setInputMemory(1, 0, 8));
  ASSERT_EQ(kOk, setOutputMemory(0, 64, 8));
  ASSERT_EQ(kOk, compute());
  EXPECT_EQ(6, file_.floats()[16]);
  EXPECT_EQ(8, file_.floats()[17]);
  EXPECT_EQ(0, file_.floats()[18]);
}

TEST_F(ArgumentTest, PaddingMustComeFirst) {
  ASSERT_EQ(kOk, enablePadding());
  ASSERT_EQ(kOk, enablePadding(false));
  EXPECT_EQ(kBadData, setInput(0, buffer_, 16));
  ASSERT_EQ(kOk, setInput(0, buffer_, 8));
  EXPECT_EQ(kBadState, enablePadding());
  execution_ = executionOf(compilation_);
  ASSERT_EQ(kOk, setOutputMemory(0, 0, 8));
  EXPECT_EQ(kBadState, enablePadding());
  EXPECT_EQ(kBadState, enablePadding(false));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true));
}

TEST_F(ArgumentTest, PaddedValuesComputeAndPaddingStays) {
  ASSERT_EQ(kOk, enablePadding());
  EXPECT_EQ(kBadData, setInput(0, buffer_, 7));
  EXPECT_EQ(kBadData, setInputMemory(0, 0, 7));
  EXPECT_EQ(kBadData, setOutput(0, output_, 7));
  EXPECT_EQ(kBadData, setOutputMemory(0, 250, 8));
  ASSERT_EQ(kOk, setInput(0, buffer_, 64));
  ASSERT_EQ(kOk, setInputMemory(1, 0, 64));
  output_[2] = 77;
  ASSERT_EQ(kOk, setOutput(0, output_, 256));
  ASSERT_EQ(kOk, compute());
  EXPECT_EQ(1, output_[0]);
  EXPECT_EQ(2, output_[1]);
  EXPECT_EQ(77, output_[2]);
}

TEST_F(ArgumentTest, LengthsAboveFourGigabytesAreRefused) {
  ASSERT_EQ(kOk, enablePadding());
  for (size_t length : {SIZE_MAX, SIZE_MAX - 63, size_t{1} << 32}) {
    EXPECT_EQ(kBadData, setInput(0, buffer_, length));
    EXPECT_EQ(kBadData, setOutput(0, output_, length));
  }
}

/// output = |input|, extents of which only some are known.
class OpenArgumentTest : public ::testing::Test {
protected:
  static Model model() {
    ModelMaker maker;
    const uint32_t input = maker.floats({0, 2}), output = maker.floats({0, 0});
    maker.operation(ANEURALNETWORKS_ABS, {input}, {output});
    maker.identify({input}, {output});
    return maker.finish();
  }
  int setInput(const Type *type, size_t length) {
    return ANeuralNetworksExecution_setInput(execution_.get(), 0, type == nullptr ? nullptr : type->get(), values_,
                                             length);
  }

  const Compilation compilation_ = compile(model());
  const Execution execution_ = executionOf(compilation_);
  float values_[8] = {-1, 2, -3, 4}, output_[8] = {};
};

TEST_F(OpenArgumentTest, InputNeedsAllExtents) {
  const SharedFile file(64);
  const Memory memory = file.memory();
  const Type half(ANEURALNETWORKS_TENSOR_FLOAT32, {0, 2});
  EXPECT_EQ(kBadData, setInput(nullptr, 16));
  EXPECT_EQ(kBadData, setInput(&half, 16));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setInputFromMemory(execution_.get(), 0, nullptr, memory.get(), 0, 16));
  EXPECT_EQ(kBadData,
            ANeuralNetworksExecution_setInputFromMemory(execution_.get(), 0, half.get(), memory.get(), 0, 16));
}

TEST_F(OpenArgumentTest, ExtentsAreTakenFromTheType) {
  const Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 2});
  EXPECT_EQ(kBadData, setInput(&type, 8));
  ASSERT_EQ(kOk, setInput(&type, 16));
  NEED(ANeuralNetworksExecution_setOutput(execution_.get(), 0, nullptr, output_, sizeof(output_)));
  ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(execution_.get()));
  EXPECT_EQ(3, output_[2]);
  EXPECT_EQ(4, output_[3]);
  EXPECT_EQ(0, output_[4]);
  uint32_t rank = 0, extents[2] = {};
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandRank(execution_.get(), 0, &rank));
  EXPECT_EQ(2U, rank);
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandDimensions(execution_.get(), 0, extents));
  EXPECT_EQ(2U, extents[0]);
  EXPECT_EQ(2U, extents[1]);
}

TEST_F(OpenArgumentTest, ExtentsAboveFourGigabytesAreRefused) {
  const Type huge(ANEURALNETWORKS_TENSOR_FLOAT32, {1U << 31, 2});
  EXPECT_EQ(kBadData, setInput(&huge, 64));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setOutput(execution_.get(), 0, huge.get(), output_, sizeof(output_)));
}

TEST_F(OpenArgumentTest, SmallOutputTellsItsShape) {
  const Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {3, 2});
  NEED(setInput(&type, 24));
  NEED(ANeuralNetworksExecution_setOutput(execution_.get(), 0, nullptr, output_, 20));
  ASSERT_EQ(kTooSmall, ANeuralNetworksExecution_compute(execution_.get()));
  uint32_t rank = 0, extents[2] = {};
  EXPECT_EQ(kTooSmall, ANeuralNetworksExecution_getOutputOperandRank(execution_.get(), 0, &rank));
  EXPECT_EQ(2U, rank);
  EXPECT_EQ(kTooSmall, ANeuralNetworksExecution_getOutputOperandDimensions(execution_.get(), 0, extents));
  EXPECT_EQ(3U, extents[0]);
  EXPECT_EQ(2U, extents[1]);
  EXPECT_EQ(0, output_[0]);
}

TEST_F(OpenArgumentTest, FencedRunNeedsTheOutputsSize) {
  const Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 2});
  ANeuralNetworksEvent *event = nullptr;
  NEED(setInput(&type, 16));
  NEED(ANeuralNetworksExecution_setOutput(execution_.get(), 0, nullptr, output_, sizeof(output_)));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_startComputeWithDependencies(execution_.get(), nullptr, 0, 0, &event));
  EXPECT_EQ(nullptr, event);
}

TEST_F(OpenArgumentTest, FencedRunTellsTheGivenShape) {
  const Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 2});
  ANeuralNetworksEvent *event = nullptr;
  NEED(setInput(&type, 16));
  NEED(ANeuralNetworksExecution_setOutput(execution_.get(), 0, type.get(), output_, 16));
  NEED(ANeuralNetworksExecution_startComputeWithDependencies(execution_.get(), nullptr, 0, 0, &event));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(Event(event).get()));
  uint32_t extents[2] = {};
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandDimensions(execution_.get(), 0, extents));
  EXPECT_EQ(2U, extents[0]);
  EXPECT_EQ(2U, extents[1]);
}

TEST(OverflowTest, ResultAboveFourGigabytesFails) {
  ModelMaker maker;
  const uint32_t input = maker.floats({0, 1}), weights = maker.floats({0, 1}), bias = maker.floats({0});
  const uint32_t activation = maker.scalar(0), output = maker.floats({0, 0});
  maker.operation(ANEURALNETWORKS_FULLY_CONNECTED, {input, weights, bias, activation}, {output});
  maker.identify({input, weights, bias}, {output});
  const Model model = maker.finish();
  const Compilation compilation = compilationOf(model);
  if (ANeuralNetworksCompilation_finish(compilation.get()) != kOk)
    return; // no device takes weights of unknown extents
  constexpr uint32_t kLarge = 1 << 16;
  const Type matrix(ANEURALNETWORKS_TENSOR_FLOAT32, {kLarge, 1}), vector(ANEURALNETWORKS_TENSOR_FLOAT32, {kLarge});
  std::vector<float> values(kLarge), results(kLarge);
  const Execution execution = executionOf(compilation);
  for (int32_t i = 0; i < 3; ++i)
    NEED(ANeuralNetworksExecution_setInput(execution.get(), i, (i < 2 ? matrix : vector).get(), values.data(),
                                           kLarge * sizeof(float)));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, results.data(), kLarge * sizeof(float)));
  EXPECT_NE(kOk, ANeuralNetworksExecution_compute(execution.get()));
}

} // namespace
} // namespace avocet::nnapi::testing
