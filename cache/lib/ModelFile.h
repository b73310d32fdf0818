//===- ModelFile.h - Header and checksum of a model cache -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model cache is a FlatBuffer (schema/modelCache.fbs) after a header, all numbers little endian:
//
//   0    "AVOM"
//   4    format version (u32)
//   8    bytes of the whole file (u64)
//   16   checksum of bytes 0 to 15 and of everything from byte 32 on
//   32   identity of the data cache; zeros: none, a model cache that is not in a folder of artefacts
//   48   the FlatBuffer
//
// Every bit of the file is an identifier, a length, part of the checksum, or covered by it. The identity is the
// checksum of the constants: a model cache names the data that it was compiled with by their contents (DataFile.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_MODELFILE_H
#define AVOCET_CACHE_LIB_MODELFILE_H

#include "avocet/base/Checksum.h"
#include "avocet/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avocet::cache {

/// A multiple of every alignment that a FlatBuffer can need.
inline constexpr size_t kModelHeaderBytes = 48;

/// The FlatBuffer with its header, without an identity of the data.
std::vector<uint8_t> wrapModel(std::span<const uint8_t> flatBuffer);

/// The FlatBuffer in a file, part of `file`. Unsupported: another format version. DataLoss: no model cache, or damaged.
Result<std::span<const uint8_t>> unwrapModel(std::span<const uint8_t> file);

/// The same file with an identity. Only a header's length is required of `file`: readers check the rest.
Result<std::vector<uint8_t>> withDataIdentity(std::span<const uint8_t> file, const Checksum &identity);

/// The identity in a file that unwrapModel() accepted; nothing: it has none.
std::optional<Checksum> dataIdentityOf(std::span<const uint8_t> file);

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_MODELFILE_H
