//===- Datums.h - Elements of packets, one after the other -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_DATUMS_H
#define AVOCET_HAL_BURST_LIB_DATUMS_H

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace avocet::hal {

/// A new element at the end of the packet. All of its bytes are zero: nothing of this process's memory travels.
template <typename Datum> Datum &appendDatum(std::vector<Datum> &packet, typename Datum::Kind kind) {
  Datum &datum = packet.emplace_back();
  std::memset(&datum, 0, sizeof(datum));
  datum.kind = kind;
  return datum;
}

/// Takes elements one after the other; nothing is taken that is not there or of another kind.
template <typename Datum> class DatumReader {
public:
  explicit DatumReader(std::span<const Datum> packet) : rest_(packet) {}

  const Datum *take(typename Datum::Kind kind) {
    if (rest_.empty() || rest_.front().kind != kind)
      return nullptr;
    const Datum *datum = &rest_.front();
    rest_ = rest_.subspan(1);
    return datum;
  }
  size_t left() const { return rest_.size(); }

private:
  std::span<const Datum> rest_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_DATUMS_H
