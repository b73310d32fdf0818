//===- ConstantTest.cpp -------------------------------------------------===//
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

/// output = input + constant operand 1, FLOAT32 of `count` elements.
class ConstantTest : public ::testing::Test {
protected:
  void begin(uint32_t count) {
    numbers_.resize(count);
    std::iota(numbers_.begin(), numbers_.end(), 1.0f);
    maker_.floats({count});
    maker_.floats({count});
    maker_.floats({count});
  }
  int set(int32_t index, const void *bytes, size_t length) {
    return ANeuralNetworksModel_setOperandValue(maker_.get(), index, bytes, length);
  }
  int setFromMemory(int32_t index, const Memory &memory, size_t offset, size_t length) {
    return ANeuralNetworksModel_setOperandValueFromMemory(maker_.get(), index, memory.get(), offset, length);
  }
  size_t bytes() const { return numbers_.size() * sizeof(float); }

  Model finish() {
    maker_.add(0, 1, 2);
    maker_.identify({0}, {2});
    return maker_.finish();
  }

  /// The constant, as an execution sees it.
  std::vector<float> seenBy(const Compilation &compilation) {
    std::vector<float> zeros(numbers_.size()), output(numbers_.size());
    Execution execution = executionOf(compilation);
    NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, zeros.data(), bytes()));
    NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(), bytes()));
    NEED(ANeuralNetworksExecution_compute(execution.get()));
    return output;
  }

  ModelMaker maker_;
  std::vector<float> numbers_;
};

TEST_F(ConstantTest, NullPointersAreRefused) {
  begin(2);
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandValue(nullptr, 0, numbers_.data(), bytes()));
  EXPECT_EQ(kNull, set(0, nullptr, bytes()));
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandValueFromMemory(maker_.get(), 0, nullptr, 0, bytes()));
  EXPECT_EQ(kNull, ANeuralNetworksModel_setOperandValueFromMemory(nullptr, 0, SharedFile(8).memory().get(), 0, 8));
}

TEST_F(ConstantTest, OtherSizesAndIndicesAreRefused) {
  begin(2);
  EXPECT_EQ(kBadData, set(0, numbers_.data(), bytes() - 1));
  EXPECT_EQ(kBadData, set(0, numbers_.data(), bytes() + 1));
  EXPECT_EQ(kBadData, set(0, numbers_.data(), SIZE_MAX));
  EXPECT_EQ(kBadData, set(3, numbers_.data(), bytes()));
  EXPECT_EQ(kBadData, set(-1, numbers_.data(), bytes()));
  EXPECT_EQ(kBadData, set(0, numbers_.data(), 0));
}

TEST_F(ConstantTest, UnknownExtentsCannotBeConstant) {
  maker_.floats({0});
  maker_.floats({});
  const float value = 1;
  EXPECT_EQ(kBadData, set(0, &value, sizeof(value)));
  EXPECT_EQ(kBadData, set(1, &value, sizeof(value)));
}

TEST_F(ConstantTest, OmittedOperandIsAccepted) {
  begin(2);
  EXPECT_EQ(kOk, set(0, nullptr, 0));
}

TEST_F(ConstantTest, SmallValueIsCopiedAtOnce) {
  begin(32); // 128 bytes
  const std::vector<float> expected = numbers_;
  ASSERT_EQ(kOk, set(1, numbers_.data(), bytes()));
  numbers_.assign(32, -1.0f);
  EXPECT_EQ(expected, seenBy(compile(finish())));
}

TEST_F(ConstantTest, LargeValueIsCopiedAtFinish) {
  begin(33);
  ASSERT_EQ(kOk, set(1, numbers_.data(), bytes()));
  numbers_.assign(33, 5.0f);
  const std::vector<float> expected = numbers_;
  const Model model = finish();
  numbers_.assign(33, -1.0f);
  EXPECT_EQ(expected, seenBy(compile(model)));
}

TEST_F(ConstantTest, LastValueOfAnOperandCounts) {
  begin(40);
  const std::vector<float> other(40, -7.0f);
  SharedFile file(bytes());
  ASSERT_EQ(kOk, set(1, other.data(), bytes()));
  ASSERT_EQ(kOk, setFromMemory(1, file.memory(), 0, bytes()));
  ASSERT_EQ(kOk, set(1, numbers_.data(), bytes()));
  EXPECT_EQ(numbers_, seenBy(compile(finish())));
}

TEST_F(ConstantTest, SeveralLargeValuesKeepApart) {
  const std::vector<float> first(40, 3.0f), second(50, 5.0f);
  maker_.floats({40});
  const uint32_t a = maker_.constant({40}, first);
  maker_.floats({40});
  const uint32_t input = maker_.floats({50}), b = maker_.constant({50}, second), output = maker_.floats({50});
  maker_.add(0, a, 2);
  maker_.add(input, b, output);
  maker_.identify({0, input}, {2, output});
  const Compilation compilation = compile(maker_.finish());
  Execution execution = executionOf(compilation);
  std::vector<float> zeros(50), sums(40), otherSums(50);
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, zeros.data(), 160));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, zeros.data(), 200));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sums.data(), 160));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 1, nullptr, otherSums.data(), 200));
  ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(execution.get()));
  EXPECT_EQ(first, sums);
  EXPECT_EQ(second, otherSums);
}

TEST_F(ConstantTest, MemoryGivesItsBytesFromOffset) {
  begin(40);
  SharedFile file(64 + bytes());
  std::ranges::copy(numbers_, file.floats() + 16);
  const Memory memory = file.memory();
  ASSERT_EQ(kOk, setFromMemory(1, memory, 64, bytes()));
  EXPECT_EQ(numbers_, seenBy(compile(finish())));
}

TEST_F(ConstantTest, MemoryRangesMustFit) {
  begin(2);
  const SharedFile file(20);
  const Memory memory = file.memory();
  EXPECT_EQ(kBadData, setFromMemory(0, memory, 0, 20));
  EXPECT_EQ(kBadData, setFromMemory(0, memory, 21, 8));
  EXPECT_EQ(kBadData, setFromMemory(0, memory, 13, 8));
  EXPECT_EQ(kBadData, setFromMemory(0, memory, SIZE_MAX - 3, 8));
  EXPECT_EQ(kBadData, setFromMemory(-1, memory, 0, 8));
  EXPECT_EQ(kBadData, setFromMemory(3, memory, 0, 8));
  EXPECT_EQ(kOk, setFromMemory(0, memory, 12, 8));
}

TEST_F(ConstantTest, MemoryMayBeFreedAfterCompilations) {
  begin(40);
  auto file = std::make_unique<SharedFile>(bytes());
  std::ranges::copy(numbers_, file->floats());
  Memory memory = file->memory();
  ASSERT_EQ(kOk, setFromMemory(1, memory, 0, bytes()));
  Model model = finish();
  const Compilation compilation = compile(model);
  model.reset();
  memory.reset();
  file.reset();
  EXPECT_EQ(numbers_, seenBy(compilation));
}

} // namespace
} // namespace avocet::nnapi::testing
