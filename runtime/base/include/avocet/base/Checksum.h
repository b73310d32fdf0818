//===- Checksum.h - Checksums that detect damaged files ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_CHECKSUM_H
#define AVOCET_BASE_CHECKSUM_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace avocet {

/// XXH3 with 128 bits, the most significant byte first. It finds accidental damage: a changed file keeps its checksum
/// with a probability of 2^-128. It does not authenticate: the writer of a file can compute it. Keyed hashes do that
/// (cache/).
using Checksum = std::array<uint8_t, 16>;

/// The checksum of several byte ranges, one after the other.
Checksum checksumOf(std::initializer_list<std::span<const uint8_t>> parts);

/// The same for bytes that arrive one range after the other.
class ChecksumStream {
public:
  ChecksumStream();
  ~ChecksumStream();
  ChecksumStream(const ChecksumStream &) = delete;
  ChecksumStream &operator=(const ChecksumStream &) = delete;

  void add(std::span<const uint8_t> bytes);
  /// Of all bytes so far.
  Checksum checksum() const;

private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923). Files contain some of its values. It neither detects damage
/// (Checksum.h) nor authenticates (cache/).
class Fnv1a {
public:
  static constexpr uint64_t kBasis = 0xcbf29ce484222325;

  constexpr explicit Fnv1a(uint64_t basis = kBasis) : value_(basis) {}

  constexpr uint64_t value() const { return value_; }

  constexpr Fnv1a &add(std::span<const uint8_t> bytes) {
    for (uint8_t byte : bytes)
      step(byte);
    return *this;
  }
  /// Its eight bytes, the least significant one first.
  constexpr Fnv1a &addNumber(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      step(number >> shift & 0xff);
    return *this;
  }
  /// A number in one step: not FNV-1a, but one multiplication instead of eight, for hash tables in memory.
  constexpr Fnv1a &addInOneStep(uint64_t number) {
    step(number);
    return *this;
  }

private:
  constexpr void step(uint64_t value) { value_ = (value_ ^ value) * 0x100000001b3; }

  uint64_t value_;
};

} // namespace avocet

#endif // AVOCET_BASE_CHECKSUM_H
