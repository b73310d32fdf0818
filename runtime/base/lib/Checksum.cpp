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

Checksum checksumOf(std::initializer_list<std::span<const uint8_t>> parts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::span<const uint8_t> part : parts)
    XXH3_128bits_update(&state, part.data(), part.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  return std::bit_cast<Checksum>(canonical);
}

} // namespace avocet
