//===- Checksum.cpp - Checksums that detect damaged files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Checksum.h"

// Keeps the state on the stack, so that no allocation can fail.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <bit>

namespace avocet {

static_assert(sizeof(XXH128_canonical_t) == sizeof(Checksum));

struct ChecksumStream::State {
  XXH3_state_t hash;
};

ChecksumStream::ChecksumStream() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
ChecksumStream::~ChecksumStream() = default;

void ChecksumStream::add(std::span<const uint8_t> bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

Checksum ChecksumStream::checksum() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
  return std::bit_cast<Checksum>(canonical);
}

Checksum checksumOf(std::initializer_list<std::span<const uint8_t>> parts) {
  ChecksumStream stream;
  for (std::span<const uint8_t> part : parts)
    stream.add(part);
  return stream.checksum();
}

} // namespace avocet
