//===- Checksum.h - Checksums that detect damaged files -*- C++ -*-===//
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

} // namespace avocet

#endif // AVOCET_BASE_CHECKSUM_H
