//===- Philox.h - A counter-based generator of random words ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_RANDOM_PHILOX_H
#define AVOCET_KERNELS_LIB_RANDOM_PHILOX_H

#include <array>
#include <bit>
#include <cstdint>

namespace avocet::kernels {

/// Philox 4x32 with 10 rounds ("Parallel Random Numbers: As Easy as 1, 2, 3", Salmon et al.). Every word of the stream
/// can be computed on its own.
class Philox {
public:
  Philox(uint64_t key, uint64_t stream) : key_(key), stream_(stream) {}

  uint32_t word(uint64_t position) const { return block(position / 4)[position % 4]; }

  /// A number in [0, 1) from the words 2 * position and 2 * position + 1.
  double real(uint64_t position) const {
    const uint64_t high = word(2 * position) & 0xfffff, low = word(2 * position + 1);
    return std::bit_cast<double>(uint64_t{1023} << 52 | high << 32 | low) - 1;
  }

private:
  std::array<uint32_t, 4> block(uint64_t number) const {
    std::array<uint32_t, 4> x = {low(number), high(number), low(stream_), high(stream_)};
    uint32_t key0 = low(key_), key1 = high(key_);
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = uint64_t{0xD2511F53} * x[0], product1 = uint64_t{0xCD9E8D57} * x[2];
      x = {high(product1) ^ x[1] ^ key0, low(product1), high(product0) ^ x[3] ^ key1, low(product0)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return x;
  }

  static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

  uint64_t key_, stream_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_RANDOM_PHILOX_H
