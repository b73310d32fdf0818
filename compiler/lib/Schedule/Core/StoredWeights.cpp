//===- StoredWeights.cpp - Weights as they are stored -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/StoredWeights.h"

namespace avocet::compiler::schedule {

StoredWeights StoredWeights::packed(uint64_t bytesPerChannel) {
  StoredWeights weights;
  weights.bytesPerChannel_ = bytesPerChannel;
  return weights;
}

StoredWeights StoredWeights::compressed(firmware::WeightIndex index, uint32_t channelsPerGranule) {
  StoredWeights weights;
  weights.index_ = std::make_shared<const firmware::WeightIndex>(std::move(index));
  weights.channelsPerGranule_ = channelsPerGranule;
  return weights;
}

uint64_t StoredWeights::bytesOf(uint32_t begin, uint32_t end) const {
  return index_ ? index_->bytesOf(granulesTo(begin), granulesTo(end)) : (end - begin) * bytesPerChannel_;
}

std::vector<firmware::WeightIndex::Range> StoredWeights::rangesOf(uint32_t begin, uint32_t end) const {
  if (!index_)
    return {{begin * bytesPerChannel_, bytesOf(begin, end)}};
  const auto ranges = index_->rangesOf(granulesTo(begin), granulesTo(end));
  return {ranges.begin(), ranges.end()};
}

void StoredWeights::describe(firmware::ConvCommand &command, uint32_t begin, uint32_t end) const {
  command.weightFormat = index_ ? firmware::WeightFormat::Compressed : firmware::WeightFormat::Packed;
  command.weightBytes = static_cast<uint32_t>(bytesOf(begin, end));
  command.sliceChannels = index_ ? end - begin : 0;
  command.firstSliceChannel = 0;
}

} // namespace avocet::compiler::schedule
