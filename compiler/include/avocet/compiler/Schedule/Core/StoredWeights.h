//===- StoredWeights.h - Weights as they are stored -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CORE_STOREDWEIGHTS_H
#define AVOCET_COMPILER_SCHEDULE_CORE_STOREDWEIGHTS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightIndex.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace avocet::compiler::schedule {

/// Size and place of the weights of output channels in the constant of a convolution. Compressed weights can be cut at
/// multiples of their granule only. Immutable; copies share the index.
class StoredWeights {
public:
  StoredWeights() = default; ///< none

  static StoredWeights packed(uint64_t bytesPerChannel);
  static StoredWeights compressed(firmware::WeightIndex index, uint32_t channelsPerGranule);

  bool areCompressed() const { return index_ != nullptr; }

  /// Bytes that the weights of channels [begin, end) take in SRAM.
  uint64_t bytesOf(uint32_t begin, uint32_t end) const;
  /// Ranges of the constant that make up these bytes, in this order.
  std::vector<firmware::WeightIndex::Range> rangesOf(uint32_t begin, uint32_t end) const;

  /// Sets format and size of the weights of channels [begin, end), which are in SRAM alone.
  void describe(firmware::ConvCommand &command, uint32_t begin, uint32_t end) const;

private:
  uint32_t granulesTo(uint32_t channel) const { return (channel + channelsPerGranule_ - 1) / channelsPerGranule_; }

  uint64_t bytesPerChannel_ = 0;
  uint32_t channelsPerGranule_ = 1;
  std::shared_ptr<const firmware::WeightIndex> index_; ///< null: packed
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CORE_STOREDWEIGHTS_H
