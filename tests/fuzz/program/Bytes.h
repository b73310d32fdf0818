//===- Bytes.h - Reads decisions from an input -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_PROGRAM_BYTES_H
#define AVOCET_TESTS_FUZZ_PROGRAM_BYTES_H

#include <algorithm>
#include <cstdint>
#include <span>

namespace avocet::fuzz {

/// Bytes of an input, in order; zeros after its end.
class Bytes {
public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool isAtEnd() const { return bytes_.empty(); }

  uint8_t byte() {
    if (bytes_.empty())
      return 0;
    const uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  uint32_t word() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
      value = value << 8 | byte();
    return value;
  }

  /// Below `limit`, which is at most 256 and not 0.
  uint32_t below(uint32_t limit) { return byte() % limit; }
  /// False at the end of the input.
  bool oneIn(uint32_t count) { return below(count) == count - 1; }

  template <typename Table> auto &pick(Table &table) { return table[below(static_cast<uint32_t>(std::size(table)))]; }

  /// Takes the next `count` bytes away, or those that are left.
  Bytes split(size_t count) {
    count = std::min(count, bytes_.size());
    Bytes part(bytes_.first(count));
    bytes_ = bytes_.subspan(count);
    return part;
  }

private:
  std::span<const uint8_t> bytes_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_PROGRAM_BYTES_H
