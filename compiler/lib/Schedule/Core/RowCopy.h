//===- RowCopy.h - A transfer of rows ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWCOPY_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWCOPY_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>

namespace avocet::compiler::schedule {

struct CopyExtents {
  uint32_t pixels = 0, pixelBytes = 0, rows = 0;
};

/// Where the first pixel is, and the bytes between rows and pixels.
struct CopyEnd {
  uint64_t offset = 0;
  uint32_t rowStride = 0, pixelStride = 0;
};

/// A copy of rows of pixels. Pixels and rows that follow each other at both ends are one run.
firmware::DmaCommand copyRows(const CopyExtents &extents, const CopyEnd &from, const CopyEnd &to);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWCOPY_H
