//===- ReadAll.h - The whole of an open file --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_READALL_H
#define AVOCET_BASE_LIB_READALL_H

#include "avocet/base/File.h"

namespace avocet {

/// Reads from the file's position to its end. DataLoss when it is longer than `maxBytes`. `path` is for messages.
Result<std::vector<uint8_t>> readAll(const FileDescriptor &file, const std::string &path, uint64_t maxBytes);

} // namespace avocet

#endif // AVOCET_BASE_LIB_READALL_H
