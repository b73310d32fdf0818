//===- PositionalIo.h - Reads and writes at fixed file positions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_POSITIONALIO_H
#define AVOCET_BASE_POSITIONALIO_H

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"

#include <cstdint>
#include <span>
#include <string>

namespace avocet {

/// Writes bytes [0, bytes.size()) without changing the file's own position; the file grows if necessary. `name` is for
/// messages. Any thread.
Status writeFromStart(const FileDescriptor &file, std::span<const uint8_t> bytes, const std::string &name);

/// The same from `offset` on.
Status writeAt(const FileDescriptor &file, uint64_t offset, std::span<const uint8_t> bytes, const std::string &name);

/// Copies bytes [0, size) of `from` to the same range of `to`, block by block, and returns their checksum: that of the
/// bytes in `to`, also if `from` changes meanwhile. DataLoss: `from` is shorter. `name` is that of `from`, for
/// messages.
Result<Checksum> copyFromStart(const FileDescriptor &from, const FileDescriptor &to, uint64_t size,
                               const std::string &name);

} // namespace avocet

#endif // AVOCET_BASE_POSITIONALIO_H
