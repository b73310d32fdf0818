//===- SmallModel.h - A small model cache for tests -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CACHE_SMALLMODEL_H
#define AVOCET_TESTS_CACHE_SMALLMODEL_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"

#include <vector>

namespace avocet::cache {

/// Commands of the DMA channel of smallModel(): load input and weights, signal, wait for the result, store the output.
inline std::vector<firmware::Command> smallDmaCommands() {
  using namespace firmware;
  auto copy = [](DmaEnd source, DmaEnd destination, uint32_t bytes) {
    DmaCommand dma;
    dma.source = source;
    dma.destination = destination;
    dma.runBytes = bytes;
    return Command{0, dma};
  };
  return {copy({1, 0}, {kSramRegion, 0}, 16),
          copy({3, 0}, {kSramRegion, 32}, 32 + 24),
          {0, SignalCommand{0}},
          {0, WaitCommand{1, 1}},
          copy({kSramRegion, 16}, {2, 0}, 2),
          {kNoLayer, EndCommand{}}};
}

/// A fully connected layer from 16 to 2 channels.
inline firmware::ConvCommand smallConv() {
  using namespace firmware;
  ConvCommand conv;
  conv.input = {DataType::Int8, 0, 1, 1, 16, 1, 0, 16, 16, -3};
  conv.output = {DataType::Int8, 16, 1, 1, 2, 1, 0, 2, 2, 5};
  conv.weights = 32;
  conv.weightBytes = 32;
  conv.channelRecords = 64;
  conv.clamp = {-128, 127};
  conv.block = {1, 1, 2};
  return conv;
}

inline std::vector<firmware::Command> smallMacCommands() {
  using namespace firmware;
  return {{0, WaitCommand{0, 1}}, {0, smallConv()}, {0, SignalCommand{1}}, {kNoLayer, EndCommand{}}};
}

/// A valid model that uses every table: one fully connected layer, 16 inputs, 2 outputs, 56 bytes of constants.
inline ModelDescription smallModel() {
  using firmware::DataType;
  using firmware::EngineKind;
  ModelDescription model;
  model.compilerVersion = "avocet 0.1.0";
  model.modelName = "small";
  model.targetName = "e256";
  model.targetFingerprint = 0x1234;
  model.inputs = {{"x", DataType::Int8, {1, 16}, 16, {{0.5f}, {-3}, -1}}};
  model.outputs = {{"y", DataType::Int8, {1, 2}, 2, {{0.25f, 0.125f}, {5, 5}, 1}}};
  model.regions = {{RegionKind::Input, 0, 16},
                   {RegionKind::Output, 0, 2},
                   {RegionKind::Constants, 0, 56},
                   {RegionKind::Scratch, 0, 64}};
  model.streams = {{{EngineKind::Mac, 0}, firmware::encodeStream(smallMacCommands())},
                   {{EngineKind::Dma, 0}, firmware::encodeStream(smallDmaCommands())}};
  model.memoryPlan = {{"x", 0, 0, 16, 0, 3}, {"y", 0, 16, 2, 2, 5}, {"spill", 4, 8, 32, 1, 1}};
  model.layers = {{"dense", "FULLY_CONNECTED", EngineKind::Mac, 32, 4, 32, 16, 2, 3, 5}};
  model.sourceMap = {{0, 0, "small.tflite: operator 0"}};
  model.dataBytes = 56;
  model.sramPeakBytes = 88;
  model.rooflineCycles = 7;
  model.deviceCycles = 8;
  model.leastDramBytes = 50;
  model.predictedCycles = 9;
  return model;
}

/// smallModel() with a complete source map.
inline ModelDescription smallMappedModel() {
  ModelDescription model = smallModel();
  model.sourceMap = {{0, 3, "small.tflite: operator 3", "FULLY_CONNECTED"}, {0, kNoSource, "small.tflite: relu", ""}};
  model.sourceOperations = {{"y", 0, firmware::DataType::Int8, 1, 1, 2}};
  model.memoryPlan[1].operation = 0;
  model.streams[0].sources = {{2, 0, 0, 0, 0}, {2, 0, 0, 0, 1}, {2, 0}, {}};
  model.streams[1].sources = {{0}, {1}, {1}, {3}, {3}, {}};
  return model;
}

/// Runs section 0 while byte 0 of the scratch memory is not 0, then section 1.
inline std::vector<firmware::ControlInstruction> smallControl() {
  using namespace firmware;
  return {LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpIfFalseInstruction{4, 0, 5},
          RunInstruction{0},       JumpInstruction{1},      RunInstruction{1},
          EndInstruction{}};
}

/// smallModel() with two yield points; both of its streams list the ranges of the first.
inline ModelDescription smallYieldingModel() {
  using namespace firmware;
  auto withYield = [](std::vector<Command> commands, size_t before, YieldCommand yield) {
    commands.insert(commands.begin() + static_cast<ptrdiff_t>(before), {kNoLayer, std::move(yield)});
    return commands;
  };
  ModelDescription model = smallModel();
  std::vector<Command> mac = withYield(smallMacCommands(), 0, {1, {{0, 16}}});
  std::vector<Command> dma = withYield(smallDmaCommands(), 4, {2, {{16, 2}}});
  model.streams[0].words = encodeStream(mac);
  model.streams[1].words = encodeStream(withYield(dma, 3, {1, {{32, 24}, {56, 32}}}));
  return model;
}

/// smallModel() in a loop, and once more after it.
inline ModelDescription smallLoopModel() {
  ModelDescription model = smallModel();
  for (size_t i = 0; i < 2; ++i) {
    model.streams.push_back(model.streams[i]);
    model.streams.back().section = 1;
  }
  model.control = firmware::encodeControl(smallControl());
  return model;
}

} // namespace avocet::cache

#endif // AVOCET_TESTS_CACHE_SMALLMODEL_H
