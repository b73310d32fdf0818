//===- CopyProgram.h - Small programs for back-end tests --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command streams that need no compiler: one copies region 1 to region 2 through SRAM, others break a rule.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_COPYPROGRAM_H
#define AVOCET_TESTS_RUNTIME_COPYPROGRAM_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Target.h"

#include <vector>

namespace avocet::runtime::test {

inline firmware::Command copyCommand(firmware::DmaEnd source, firmware::DmaEnd destination, uint32_t bytes) {
  firmware::DmaCommand dma;
  dma.source = source;
  dma.destination = destination;
  dma.runBytes = bytes;
  return {0, dma};
}

/// Copies `bytes` from region 1 to region 2.
inline std::vector<uint32_t> copyProgram(uint32_t bytes) {
  using namespace firmware;
  std::vector<Command> commands = {copyCommand({1, 0}, {kSramRegion, 0}, bytes),
                                   copyCommand({kSramRegion, 0}, {2, 0}, bytes),
                                   {kNoLayer, EndCommand{}}};
  return encodeStream(commands);
}

/// Waits for a semaphore that is never signaled.
inline std::vector<uint32_t> hangingProgram() {
  using namespace firmware;
  std::vector<Command> commands = {{kNoLayer, WaitCommand{0, 1}}, {kNoLayer, EndCommand{}}};
  return encodeStream(commands);
}

/// A model of one DMA stream: output 0 is a copy of input 0. Compiled for `target`.
inline cache::ModelDescription copyModel(const firmware::Target &target, uint32_t bytes) {
  using firmware::DataType;
  cache::ModelDescription model;
  model.compilerVersion = "avocet test";
  model.modelName = "copy";
  model.targetName = target.name();
  model.targetFingerprint = target.fingerprint();
  model.inputs = {{"in", DataType::Int8, {1, static_cast<int32_t>(bytes)}, bytes, {}}};
  model.outputs = {{"out", DataType::Int8, {1, static_cast<int32_t>(bytes)}, bytes, {}}};
  model.regions = {{cache::RegionKind::Input, 0, bytes}, {cache::RegionKind::Output, 0, bytes}};
  model.streams = {{{firmware::EngineKind::Dma, 0}, copyProgram(bytes)}};
  model.memoryPlan = {{"in", firmware::kSramRegion, 0, bytes, 0, 1}};
  model.layers = {{"copy", "COPY", firmware::EngineKind::Dma, 0, 2 * bytes, 0, bytes, bytes}};
  model.sramPeakBytes = bytes;
  model.rooflineCycles = model.deviceCycles = model.leastDramBytes = 2 * bytes;
  return model;
}

} // namespace avocet::runtime::test

#endif // AVOCET_TESTS_RUNTIME_COPYPROGRAM_H
