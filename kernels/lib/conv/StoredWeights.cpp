//===- StoredWeights.cpp - Weights of a command -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/StoredWeights.h"

#include "conv/DecodedSlices.h"

namespace avocet::kernels {

using namespace firmware;

/// Of all devices of the process: twice what a network of 20 million weights needs.
static constexpr uint64_t kKeptBytes = uint64_t{96} << 20;

/// Slices up to this size are decoded as a whole: several commands, or shares of one, have parts of them.
static constexpr uint64_t kWholeBytes = uint64_t{4} << 20;

/// Never destroyed: threads of devices may run while the process ends.
static DecodedSlices &decodedSlices() {
  static auto *const kSlices = new DecodedSlices(kKeptBytes);
  return *kSlices;
}

const uint8_t *packedWeights(const ConvCommand &command, const WeightLayout &layout, std::span<const uint8_t> sram) {
  const uint8_t *stored = sram.data() + command.weights.offset;
  if (command.weightFormat == WeightFormat::Packed)
    return stored;
  const uint64_t channelBytes = uint64_t{layout.products()} * layout.elementSize();
  const SliceShape shape{layout.elementSize(), layout.granuleBytes(), command.sliceChannels * channelBytes};
  const uint32_t firstGranule = command.firstSliceChannel / layout.granule();
  const bool isWhole = shape.plainBytes <= kWholeBytes;
  thread_local DecodedSlices::Plain plain;
  plain = decodedSlices().find(
      {{stored, command.weightBytes}, shape, isWhole ? 0 : firstGranule, isWhole ? shape.plainBytes : layout.bytes()});
  return plain->data() + (isWhole ? firstGranule * shape.granuleBytes : 0);
}

} // namespace avocet::kernels
