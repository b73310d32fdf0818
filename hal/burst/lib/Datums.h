//===- Datums.h - Elements of packets, one after the other -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_DATUMS_H
#define AVOCET_HAL_BURST_LIB_DATUMS_H

#include "avocet/base/BoundedReader.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

/// A new element at the end of the packet. All of its bytes are zero, so that no old bytes of this process are sent.
template <typename Datum> Datum &appendDatum(std::vector<Datum> &packet, typename Datum::Kind kind) {
  Datum &datum = packet.emplace_back();
  std::memset(&datum, 0, sizeof(datum));
  datum.kind = kind;
  return datum;
}

/// Reads elements one after the other; empty if there is none left or it is of another kind.
template <typename Datum> class DatumReader {
public:
  explicit DatumReader(std::span<const Datum> packet)
      : bytes_({reinterpret_cast<const uint8_t *>(packet.data()), packet.size_bytes()}, "a packet") {}

  std::optional<Datum> take(typename Datum::Kind kind) {
    std::optional<Datum> datum = bytes_.value<Datum>(position_);
    if (!datum || datum->kind != kind)
      return std::nullopt;
    position_ += sizeof(Datum);
    return datum;
  }
  size_t left() const { return (bytes_.size() - position_) / sizeof(Datum); }

private:
  const BoundedReader bytes_;
  uint64_t position_ = 0; ///< of the next element
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_DATUMS_H
