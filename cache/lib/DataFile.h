//===- DataFile.h - The end of a data cache file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file data.avod has the constants at its start, so that their pages are those of the file, and then an end, all
// numbers little endian:
//
//   0    "AVOD"
//   4    version of the end (u32)
//   8    bytes of constants (u64)
//   16   identity: the checksum of the constants, which the model cache repeats
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_DATAFILE_H
#define AVOCET_CACHE_LIB_DATAFILE_H

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace avocet::cache {

inline constexpr size_t kDataEndBytes = 32;

/// The end of a file with this many bytes of constants.
std::array<uint8_t, kDataEndBytes> dataEnd(uint64_t bytes, const Checksum &identity);

/// DataLoss unless the file is whole by its length and has this identity and size. Reads only the end.
Status checkDataFile(const FileDescriptor &file, const std::string &name, const Checksum &identity, uint64_t bytes);

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_DATAFILE_H
