//===- MemoryDescTest.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <cmath>

namespace avocet::nnapi::testing {
namespace {

MemoryDesc makeDesc() {
  ANeuralNetworksMemoryDesc *made = nullptr;
  NEED(ANeuralNetworksMemoryDesc_create(&made));
  return MemoryDesc(made);
}

int copy(const Memory &from, const Memory &to) { return ANeuralNetworksMemory_copy(from.get(), to.get()); }

class MemoryDescTest : public ::testing::Test {
protected:
  int addInput(uint32_t index, float frequency = 1) {
    return ANeuralNetworksMemoryDesc_addInputRole(desc_.get(), compilation_.get(), index, frequency);
  }
  int addOutput(uint32_t index, float frequency = 1) {
    return ANeuralNetworksMemoryDesc_addOutputRole(desc_.get(), compilation_.get(), index, frequency);
  }
  int setDimensions(std::vector<uint32_t> extents) {
    return ANeuralNetworksMemoryDesc_setDimensions(desc_.get(), static_cast<uint32_t>(extents.size()), extents.data());
  }
  int finish() { return ANeuralNetworksMemoryDesc_finish(desc_.get()); }

  const Compilation compilation_ = compile(addModel());
  const MemoryDesc desc_ = makeDesc();
};

TEST_F(MemoryDescTest, NullIsRefused) {
  ANeuralNetworksMemory *made = nullptr;
  const uint32_t extent = 2;
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_create(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_addInputRole(nullptr, compilation_.get(), 0, 1));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_addInputRole(desc_.get(), nullptr, 0, 1));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_addOutputRole(nullptr, compilation_.get(), 0, 1));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_addOutputRole(desc_.get(), nullptr, 0, 1));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, &extent));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_setDimensions(desc_.get(), 1, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksMemoryDesc_finish(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksMemory_createFromDesc(nullptr, &made));
  EXPECT_EQ(kNull, ANeuralNetworksMemory_createFromDesc(desc_.get(), nullptr));
  ANeuralNetworksMemoryDesc_free(nullptr);
}

TEST_F(MemoryDescTest, RolesAreChecked) {
  const Compilation open = compilationOf(addModel());
  EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addInputRole(desc_.get(), open.get(), 0, 1));
  EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addOutputRole(desc_.get(), open.get(), 0, 1));
  EXPECT_EQ(kBadData, addInput(2));
  EXPECT_EQ(kBadData, addOutput(1));
  for (float frequency : {0.0f, -1.0f, 1.5f, 10.0f, std::nanf("")}) {
    EXPECT_EQ(kBadData, addInput(0, frequency)) << frequency;
    EXPECT_EQ(kBadData, addOutput(0, frequency)) << frequency;
  }
  EXPECT_EQ(kOk, addInput(0));
  EXPECT_EQ(kBadData, addInput(0));
  EXPECT_EQ(kOk, addInput(1, 1e-3f));
  EXPECT_EQ(kOk, addOutput(0));
  EXPECT_EQ(kBadData, addOutput(0));
}

TEST_F(MemoryDescTest, FinishedDescriptorIsNotChanged) {
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(kBadState, ANeuralNetworksMemory_createFromDesc(desc_.get(), &made));
  EXPECT_EQ(kBadData, finish()); // no role yet
  ASSERT_EQ(kOk, addInput(0));
  ASSERT_EQ(kOk, finish());
  EXPECT_EQ(kBadState, finish());
  EXPECT_EQ(kBadState, addInput(1));
  EXPECT_EQ(kBadState, addOutput(0));
  EXPECT_EQ(kBadState, setDimensions({2}));
  EXPECT_EQ(nullptr, made);
}

TEST_F(MemoryDescTest, OtherTypesAndExtentsConflict) {
  const auto quantized = [](float scale, int32_t zeroPoint) {
    ModelMaker maker;
    const uint32_t input = maker.operand({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, scale, zeroPoint});
    const uint32_t output = maker.operand({ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, scale, zeroPoint});
    maker.operation(ANEURALNETWORKS_RELU, {input}, {output});
    maker.identify({input}, {output});
    return compile(maker.finish());
  };
  const Compilation base = quantized(1, 0), scaled = quantized(0.5f, 0), moved = quantized(1, 3);
  const Compilation wide = compile(addModel({3})), flat = compile(addModel({2, 1}));
  auto conflict = [](const Compilation &a, const Compilation &b) {
    const MemoryDesc made = makeDesc();
    NEED(ANeuralNetworksMemoryDesc_addInputRole(made.get(), a.get(), 0, 1));
    EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addInputRole(made.get(), b.get(), 0, 1));
    EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addOutputRole(made.get(), b.get(), 0, 1));
  };
  conflict(compilation_, base);
  conflict(compilation_, wide);
  conflict(compilation_, flat);
  conflict(base, scaled);
  conflict(base, moved);
}

TEST_F(MemoryDescTest, DimensionsMustAgree) {
  EXPECT_EQ(kOk, setDimensions({2}));
  EXPECT_EQ(kBadData, setDimensions({3}));
  EXPECT_EQ(kBadData, setDimensions({2, 1}));
  EXPECT_EQ(kOk, setDimensions({0}));
  EXPECT_EQ(kOk, addInput(0));
  EXPECT_EQ(kBadData, setDimensions({3}));
  EXPECT_EQ(kOk, ANeuralNetworksMemoryDesc_setDimensions(desc_.get(), 0, nullptr));
  const Compilation wide = compile(addModel({3}));
  EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addInputRole(desc_.get(), wide.get(), 0, 1));
}

TEST_F(MemoryDescTest, MemoryServesItsRolesOnly) {
  const Memory memory = memoryFor(compilation_, {0}, {});
  const Compilation other = compile(addModel());
  const Execution execution = executionOf(compilation_), foreign = executionOf(other);
  auto setInput = [&](const Execution &of, int32_t index, size_t offset, size_t length) {
    return ANeuralNetworksExecution_setInputFromMemory(of.get(), index, nullptr, memory.get(), offset, length);
  };
  EXPECT_EQ(kBadData, setInput(execution, 1, 0, 0));
  EXPECT_EQ(kBadData, setInput(foreign, 0, 0, 0));
  EXPECT_EQ(kBadData, setInput(execution, 0, 0, 8));
  EXPECT_EQ(kBadData, setInput(execution, 0, 1, 0));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 0));
  EXPECT_EQ(kOk, setInput(execution, 0, 0, 0));
  ModelMaker maker;
  maker.floats({2});
  EXPECT_EQ(kBadData, ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), 0, memory.get(), 0, 8));
}

/// Adds a memory's value to itself.
int doubleOf(const Compilation &compilation, const Memory &memory, float *output) {
  const Execution execution = executionOf(compilation);
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 0));
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 1, nullptr, memory.get(), 0, 0));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, 8));
  return ANeuralNetworksExecution_compute(execution.get());
}

/// Adds {value, value} to itself into a memory; with a passed deadline if `isLate`.
int store(const Compilation &compilation, const Memory &memory, float value, bool isLate = false) {
  const float values[] = {value, value};
  const Execution execution = executionOf(compilation);
  if (isLate)
    NEED(ANeuralNetworksExecution_setTimeout(execution.get(), 1));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, values, 8));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, values, 8));
  NEED(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 0));
  return ANeuralNetworksExecution_compute(execution.get());
}

TEST_F(MemoryDescTest, UninitializedInputFails) {
  const Memory memory = memoryFor(compilation_, {0, 1}, {0});
  float output[2] = {};
  EXPECT_EQ(kFailed, doubleOf(compilation_, memory, output));
  ASSERT_EQ(kOk, store(compilation_, memory, 3));
  ASSERT_EQ(kOk, doubleOf(compilation_, memory, output));
  EXPECT_EQ(12, output[0]);
  ASSERT_NE(kOk, store(compilation_, memory, 3, true)); // takes its value
  EXPECT_EQ(kFailed, doubleOf(compilation_, memory, output));
}

TEST_F(MemoryDescTest, MemoryForAllDevicesTracksItsValueToo) {
  // A compilation that several devices run gets shared memory in the place of the driver's.
  const Model model = addModel();
  const Compilation all = compileForAll(model);
  const Memory memory = memoryFor(all, {0, 1}, {0});
  float output[2] = {};
  EXPECT_EQ(kFailed, doubleOf(all, memory, output));
  ASSERT_EQ(kOk, store(all, memory, 2));
  ASSERT_EQ(kOk, doubleOf(all, memory, output));
  EXPECT_EQ(8, output[0]);
}

TEST_F(MemoryDescTest, CopiesToAndFromFiles) {
  const Memory memory = memoryFor(compilation_, {0, 1}, {0});
  const SharedFile file(8), small(4), large(16), other(8);
  file.floats()[0] = 5;
  EXPECT_EQ(kBadData, copy(memory, other.memory())); // never written
  ASSERT_EQ(kOk, copy(file.memory(), memory));
  ASSERT_EQ(kOk, copy(memory, other.memory()));
  EXPECT_EQ(5, other.floats()[0]);
  EXPECT_EQ(kBadData, copy(memory, small.memory()));
  EXPECT_EQ(kBadData, copy(memory, large.memory()));
  EXPECT_EQ(kOk, copy(memory, other.memory()));
}

TEST_F(MemoryDescTest, FailedCopyTakesTheValue) {
  const Memory memory = memoryFor(compilation_, {0, 1}, {0});
  const SharedFile file(8), small(4), large(16);
  for (const SharedFile *bad : {&small, &large}) {
    ASSERT_EQ(kOk, copy(file.memory(), memory));
    EXPECT_EQ(kBadData, copy(bad->memory(), memory));
    EXPECT_EQ(kBadData, copy(memory, file.memory()));
    float output[2] = {};
    EXPECT_EQ(kFailed, doubleOf(compilation_, memory, output));
  }
}

TEST_F(MemoryDescTest, CopiesBetweenDescribedMemories) {
  const Memory first = memoryFor(compilation_, {0, 1}, {0}), second = memoryFor(compilation_, {0, 1}, {});
  const Compilation wide = compile(addModel({3})), flat = compile(addModel({2, 1}));
  const Memory wideMemory = memoryFor(wide, {0}, {}), flatMemory = memoryFor(flat, {0}, {});
  const SharedFile file(8), wideFile(12);
  float output[2] = {};
  EXPECT_EQ(kBadData, copy(first, second)); // never written
  ASSERT_EQ(kOk, store(compilation_, first, 1));
  ASSERT_EQ(kOk, copy(first, second));
  ASSERT_EQ(kOk, doubleOf(compilation_, second, output));
  EXPECT_EQ(4, output[1]);
  EXPECT_EQ(kOk, copy(second, second));
  ASSERT_EQ(kOk, copy(wideFile.memory(), wideMemory));
  ASSERT_EQ(kOk, copy(file.memory(), flatMemory));
  EXPECT_EQ(kBadData, copy(wideMemory, second));
  EXPECT_EQ(kBadData, copy(flatMemory, first));
}

TEST(OpenMemoryTest, ExtentsOfTheDescriptorCount) {
  const Compilation open = compile(addModel({0})), known = compile(addModel({2}));
  const MemoryDesc desc = makeDesc();
  const uint32_t extent = 2;
  NEED(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), open.get(), 0, 1));
  NEED(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), open.get(), 1, 1));
  NEED(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, &extent));
  NEED(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), known.get(), 0, 1));
  NEED(ANeuralNetworksMemoryDesc_finish(desc.get()));
  ANeuralNetworksMemory *made = nullptr;
  ASSERT_EQ(kOk, ANeuralNetworksMemory_createFromDesc(desc.get(), &made));
  const Memory memory(made);
  ASSERT_EQ(kOk, store(known, memory, 1));
  const Type bad(ANEURALNETWORKS_TENSOR_FLOAT32, {3});
  const Execution execution = executionOf(open);
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, bad.get(), made, 0, 0));
  float output[2] = {};
  EXPECT_EQ(kOk, doubleOf(open, memory, output));
  EXPECT_EQ(4, output[0]);
}

TEST(OpenMemoryTest, ReusedExecutionFollowsTheMemorysExtents) {
  const Compilation open = compile(addModel({0}));
  const Memory input = memoryFor(open, {0, 1}, {0});
  const Execution reader = executionOf(open);
  float output[4] = {};
  NEED(ANeuralNetworksExecution_setReusable(reader.get(), true));
  for (int32_t i = 0; i < 2; ++i)
    NEED(ANeuralNetworksExecution_setInputFromMemory(reader.get(), i, nullptr, input.get(), 0, 0));
  NEED(ANeuralNetworksExecution_setOutput(reader.get(), 0, nullptr, output, sizeof(output)));
  for (uint32_t extent : {2U, 4U, 1U}) {
    const std::vector<float> values(extent, static_cast<float>(extent));
    const Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {extent});
    const Execution writer = executionOf(open);
    for (int32_t i = 0; i < 2; ++i)
      NEED(ANeuralNetworksExecution_setInput(writer.get(), i, type.get(), values.data(), extent * sizeof(float)));
    NEED(ANeuralNetworksExecution_setOutputFromMemory(writer.get(), 0, nullptr, input.get(), 0, 0));
    ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(writer.get()));
    ASSERT_EQ(kOk, ANeuralNetworksExecution_compute(reader.get()));
    EXPECT_EQ(static_cast<float>(4 * extent), output[extent - 1]);
    uint32_t answered = 0;
    EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandDimensions(reader.get(), 0, &answered));
    EXPECT_EQ(extent, answered);
  }
}

} // namespace
} // namespace avocet::nnapi::testing
