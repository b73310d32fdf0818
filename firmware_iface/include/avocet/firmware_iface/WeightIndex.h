//===- WeightIndex.h - Parts of compressed weights --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_WEIGHTINDEX_H
#define AVOCET_FIRMWARE_IFACE_WEIGHTINDEX_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/WeightStream.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace avocet::firmware {

struct WeightHeader; // private to the library

/// Where the granules of a slice (WeightStream.h) are. A slice of some of its granules is a copy of three ranges of its
/// bytes, so that a filter is coded once, and cut later.
class WeightIndex {
public:
  /// Bytes of the slice.
  struct Range {
    uint64_t begin = 0, bytes = 0;
    bool operator==(const Range &) const = default;
  };

  /// Checks header, code lengths and index; DataLoss names the field.
  static Result<WeightIndex> read(std::span<const uint8_t> slice, const SliceShape &shape);
  /// The same, and sets `header`.
  static Result<WeightIndex> read(std::span<const uint8_t> slice, const SliceShape &shape, WeightHeader &header);

  uint32_t granules() const { return static_cast<uint32_t>(payloads_.size() - 1); }

  Range payloadOf(uint32_t granule) const { return {payloads_[granule], payloads_[granule + 1] - payloads_[granule]}; }
  /// Header, index and payloads of granules [first, end).
  std::array<Range, 3> rangesOf(uint32_t first, uint32_t end) const {
    return {Range{0, entries_.front()}, Range{entries_[first], entries_[end] - entries_[first]},
            Range{payloads_[first], payloads_[end] - payloads_[first]}};
  }
  /// Their sum: the size of a slice of these granules.
  uint64_t bytesOf(uint32_t first, uint32_t end) const {
    return entries_.front() + entries_[end] - entries_[first] + payloads_[end] - payloads_[first];
  }

private:
  std::vector<uint64_t> entries_, payloads_; ///< begin of each granule's, and the end
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_WEIGHTINDEX_H
