//===- SchedulerTest.cpp - Properties of schedules --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "Planner.h"
#include "Transfers/Transfers.h"

#include "Schedule/Core/Lowering.h"

#include "Yield/YieldPoints.h"
#include "avocet/firmware_iface/Codec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;
using testing::HasSubstr;

Sequence made(const Problem &problem) {
  auto answer = makeSchedule(problem);
  EXPECT_TRUE(std::holds_alternative<Sequence>(answer));
  return std::holds_alternative<Sequence>(answer) ? std::get<Sequence>(answer) : Sequence();
}

bool loadsConstants(const Sequence &sequence, const Step &step) {
  return step.isDma() && sequence.buffers[step.buffers[0]].space == BufferSpace::Constants;
}

uint32_t chain(Network &net, uint32_t x, int layers, uint32_t channels) {
  for (int i = 0; i < layers; ++i)
    x = net.conv(x, channels, 3);
  return x;
}

TEST(SchedulerTest, LoadsConstantsAheadIfSramHasRoom) {
  Network net("e256");
  net.output(chain(net, net.input({16, 16, 16, DataType::Int8}), 6, 32));
  Sequence sequence = made(net.problem());
  size_t loadedBeforeSecondTile = 0, tiles = 0;
  for (const Step &step : sequence.steps)
    if (!step.isDma() && ++tiles == 2)
      break;
    else
      loadedBeforeSecondTile += loadsConstants(sequence, step);
  EXPECT_GE(loadedBeforeSecondTile, 3u);
}

TEST(SchedulerTest, ChainLargerThanSramNeedsNoSpill) {
  Network net("e256s");
  uint32_t x = net.input({128, 128, 8, DataType::Int8}); // the next two tensors have 512 KiB each, the SRAM 384
  x = net.conv(x, 32, 3);
  x = net.depthwise(x, 3);
  net.output(net.conv(x, 8, 1, 2));
  Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  for (const Buffer &buffer : sequence.buffers)
    EXPECT_NE(buffer.space, BufferSpace::Scratch) << "a chain needs no spill";
}

TEST(SchedulerTest, TwoMapsFillTheSramWithoutSpill) {
  Network net("e256s");
  uint32_t x = net.conv(net.input({19, 19, 64, DataType::Int8}), 512, 1);
  for (int i = 0; i < 3; ++i) // two maps leave 23,552 bytes; 32 channels of weights have 16,896, twice that is too much
    x = net.conv(net.depthwise(x, 3), 512, 1);
  net.output(net.conv(x, 8, 1));
  const Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  for (const Buffer &buffer : sequence.buffers)
    EXPECT_NE(buffer.space, BufferSpace::Scratch) << "both maps fit beside a part of the weights";
}

TEST(SchedulerTest, BranchesLoadTheirInputOnce) {
  Network net("e256s");
  const uint32_t x = net.input({128, 128, 32, DataType::Int8}); // 512 KiB, the SRAM has 384
  for (uint32_t channels : {8, 16, 24})
    net.output(net.conv(x, channels, 1));
  const Sequence sequence = made(net.problem());
  uint64_t loaded = 0;
  for (const Step &step : sequence.steps)
    if (step.isDma() && sequence.buffers[step.buffers[0]].space == BufferSpace::Input) {
      const auto &dma = std::get<firmware::DmaCommand>(step.command);
      loaded += uint64_t(dma.count0) * dma.count1 * dma.count2 * dma.runBytes;
    }
  EXPECT_EQ(loaded, 128u * 128 * 32);
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(SchedulerTest, LargeResultIsSpilledAndStaysCorrect) {
  Network net("e256s");
  uint32_t x = net.conv(net.input({96, 96, 4, DataType::Int8}), 64, 3); // 576 KiB, read again at the end
  uint32_t y = chain(net, net.conv(x, 8, 3, 2), 16, 8);
  uint32_t z = net.softmax(net.fullyConnected(net.conv(y, 8, 3, 4), 16)); // needs all rows, so no cascade spans it
  net.output(z);
  net.output(net.conv(x, 4, 1, 2));
  Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  bool spilled = false;
  for (const Buffer &buffer : sequence.buffers)
    spilled |= buffer.space == BufferSpace::Scratch;
  EXPECT_TRUE(spilled);
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(SchedulerTest, LongTilesRunInPieces) {
  Network net("e256");
  const uint32_t x = net.conv(net.input({40, 40, 32, DataType::Int8}), 64, 3); // 115,200 cycles of the array
  net.output(net.convAdd(x, x, 1));
  const Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  const uint64_t bound = yieldBound(*net.problem().target); // 20,000
  uint32_t pieces = 0;
  for (const Step &step : sequence.steps)
    if (!step.isDma()) {
      ++pieces;
      EXPECT_LE(step.time.cycles, bound);
    }
  EXPECT_GE(pieces, 115'200 / bound);
  EXPECT_GT(sequence.cycles, 115'200u);
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

// Maps so small that a cascade would not be worth its short tiles if it ran on one engine.
TEST(SchedulerTest, DspRunsBesideTheArray) {
  Network net("e256");
  uint32_t x = net.conv(net.input({32, 8, 64, DataType::Int8}), 64, 3);
  for (int i = 0; i < 3; ++i)
    x = net.conv(net.requantize(x), 64, 3);
  net.output(x);
  const Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  uint64_t onArray = 0, onDsp = 0;
  for (const Step &step : sequence.steps)
    (step.isDsp() ? onDsp : onArray) += step.isDma() ? 0 : step.time.busy();
  EXPECT_LT(sequence.cycles, onArray + onDsp * 3 / 4) << onArray << " and " << onDsp;
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(SchedulerTest, InputUsedAsOutputIsCopied) {
  Network net("e256");
  uint32_t x = net.input({4, 4, 8, DataType::Int8});
  net.output(x);
  net.output(net.conv(x, 8, 1));
  net.output(x);
  Sequence sequence = made(net.problem());
  auto outputs = runSequence(net.problem(), sequence, net.inputs(), net.constants());
  EXPECT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0], net.inputs()[0]);
  EXPECT_EQ(outputs[2], net.inputs()[0]);

  Network empty("e256");
  empty.output(empty.input({2, 2, 2, DataType::Int8}));
  Sequence copy = made(empty.problem());
  EXPECT_EQ(runSequence(empty.problem(), copy, empty.inputs(), {})[0], empty.inputs()[0]);
}

// SRAM holds two of these lines, and the kernel does not cut a line. Plans that load an operand while the result before
// it is stored need a place for three or four.
TEST(SchedulerTest, LargeOperationsRunOneAfterAnother) {
  Network net("e256s");
  for (int i = 0; i < 3; ++i)
    net.output(net.softmax(net.input({1, 1, 45000, DataType::Float32})));
  Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
  ASSERT_EQ(sequence.steps.size(), 9u);
  for (size_t i = 0; i < sequence.steps.size(); ++i)
    EXPECT_EQ(sequence.steps[i].isDma(), i % 3 != 1) << "step " << i << " of load, compute, store; three times";
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(SchedulerTest, WhatFitsNowhereIsRefusedWithTheSizes) {
  Network net("e256s");
  net.output(net.fullyConnected(net.input({64, 1, 1024, DataType::Int8}), 16)); // weights: 64 KiB for each channel
  auto answer = makeSchedule(net.problem());
  ASSERT_TRUE(std::holds_alternative<Misfit>(answer));
  EXPECT_EQ(std::get<Misfit>(answer).operation, 0u);
  EXPECT_GE(std::get<Misfit>(answer).needed, 8u * 64u * 1024u);
  EXPECT_EQ(std::get<Misfit>(answer).limit, 393216u * 15 / 16);
}

TEST(SchedulerTest, SameProblemGivesSameCommands) {
  auto words = [] {
    Network net("m512");
    uint32_t x = net.conv(net.input({40, 40, 3, DataType::Int8}), 24, 3, 2);
    net.output(net.add(x, chain(net, x, 4, 24)));
    Sequence sequence = made(net.problem());
    std::vector<uint32_t> result;
    for (const Step &step : sequence.steps)
      firmware::encode({step.layer, step.command}, result);
    for (const Buffer &buffer : sequence.buffers)
      result.push_back(uint32_t(buffer.address));
    return result;
  };
  EXPECT_EQ(words(), words());
}

TEST(SchedulerTest, LongChainsAreScheduled) {
  Network net("e256s");
  net.output(chain(net, net.input({6, 6, 8, DataType::Int8}), 1500, 8));
  Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
}

TEST(SchedulerTest, LongChainsOfLargeResultsAreScheduled) {
  Network net("e256s");
  net.output(chain(net, net.input({96, 96, 64, DataType::Int8}), 120, 64)); // 576 KiB each
  Sequence sequence = made(net.problem());
  EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
}

TEST(SchedulerTest, VerifyDetectsViolations) {
  Network net("e256");
  net.output(chain(net, net.input({8, 8, 8, DataType::Int8}), 3, 16));
  const Sequence good = made(net.problem());
  ASSERT_TRUE(good.verify(net.problem()).isOk());

  Sequence unread = good; // without one load
  for (size_t i = 0; i < unread.steps.size(); ++i)
    if (loadsConstants(unread, unread.steps[i])) {
      unread.steps.erase(unread.steps.begin() + long(i));
      break;
    }
  EXPECT_THAT(unread.verify(net.problem()).message(), HasSubstr("no earlier step has written"));

  Sequence shifted = good; // a tile exceeds its buffer
  for (Step &step : shifted.steps)
    if (auto *conv = std::get_if<firmware::ConvCommand>(&step.command))
      conv->output.address += 16;
  EXPECT_FALSE(shifted.verify(net.problem()).isOk());

  Sequence overlapping = good; // all buffers at address 0
  for (Buffer &buffer : overlapping.buffers)
    if (buffer.space == BufferSpace::Sram)
      buffer.address = 0;
  EXPECT_THAT(overlapping.verify(net.problem()).message(), HasSubstr("overlaps"));

  Sequence nameless = good;
  nameless.steps.back().buffers[0] = 10'000;
  EXPECT_THAT(nameless.verify(net.problem()).message(), HasSubstr("refers to a buffer that does not exist"));
}

TEST(ProblemTest, CheckRejectsInvalidProblems) {
  Network net("e256");
  net.output(chain(net, net.input({8, 8, 8, DataType::Int8}), 2, 16));
  ASSERT_TRUE(net.problem().check().isOk());
  auto broken = [&](auto &&change) {
    Problem problem = net.problem();
    change(problem);
    return !problem.check().isOk();
  };
  EXPECT_TRUE(broken([](Problem &p) { p.target = nullptr; }));
  EXPECT_TRUE(broken([](Problem &p) { std::swap(p.operations[0], p.operations[1]); })) << "read before written";
  EXPECT_TRUE(broken([](Problem &p) { p.operations[1].inputs[0].id = 99; }));
  EXPECT_TRUE(broken([](Problem &p) { p.operations[1].inputs[0].shape.width = 9; })) << "another size";
  EXPECT_TRUE(broken([](Problem &p) { p.operations[1].outputs[0].id = 1; })) << "written twice";
  EXPECT_TRUE(broken([](Problem &p) { p.operations[0].weights = 99; }));
  EXPECT_TRUE(broken([](Problem &p) { p.operations.pop_back(); })) << "an output that no operation writes";
  EXPECT_TRUE(broken([](Problem &p) { p.operations[0].window.stride = 0; }));
}

} // namespace
} // namespace avocet::compiler::schedule
