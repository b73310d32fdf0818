//===- TestCommands.h - Commands for tests ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SIM_TESTCOMMANDS_H
#define AVOCET_TESTS_SIM_TESTCOMMANDS_H

#include "avocet/firmware_iface/Command.h"

namespace avocet::sim::test {

/// A dense int8 tensor in SRAM.
inline firmware::FeatureMap tensor(uint32_t address, uint32_t height, uint32_t width, uint32_t channels) {
  firmware::FeatureMap map;
  map.address = address;
  map.height = map.ringRows = height;
  map.width = width;
  map.channels = channels;
  map.pixelStride = channels;
  map.rowStride = channels * width;
  return map;
}

/// A dense 1x1 convolution; `records` and `weights` are SRAM addresses.
inline firmware::ConvCommand pointwise(const firmware::FeatureMap &input, const firmware::FeatureMap &output,
                                       uint32_t weights, uint32_t records, firmware::Block block) {
  firmware::ConvCommand conv;
  conv.input = input;
  conv.output = output;
  conv.weights = weights;
  conv.weightBytes = input.channels * output.channels;
  conv.channelRecords = records;
  conv.clamp = {-128, 127};
  conv.block = block;
  return conv;
}

/// Copies bytes between a region and SRAM.
inline firmware::DmaCommand load(uint32_t region, uint64_t offset, uint32_t sram, uint32_t bytes) {
  firmware::DmaCommand dma;
  dma.source.region = region;
  dma.source.offset = offset;
  dma.destination.offset = sram;
  dma.runBytes = bytes;
  return dma;
}
inline firmware::DmaCommand store(uint32_t region, uint64_t offset, uint32_t sram, uint32_t bytes) {
  firmware::DmaCommand dma = load(region, offset, sram, bytes);
  std::swap(dma.source, dma.destination);
  return dma;
}

} // namespace avocet::sim::test

#endif // AVOCET_TESTS_SIM_TESTCOMMANDS_H
