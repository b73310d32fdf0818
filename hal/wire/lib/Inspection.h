//===- Inspection.h - Value checks and memory cost of messages --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_LIB_INSPECTION_H
#define AVOCET_HAL_WIRE_LIB_INSPECTION_H

#include "avocet/hal/types/Result.h"

#include "messages_generated.h"

#include <cstdint>
#include <string>

namespace avocet::hal::ipc {

/// The verifier checks offsets and lengths only. This checks the values, for all tables of the schema: it follows the
/// type tables that flatc generates, so new tables are covered automatically.
struct Inspection {
  /// Empty, or the first value that is not allowed: an unknown tag of a union or an enumeration, a tag without a body,
  /// a 64-bit number below -1 (times and identifiers; -1: none), a vector whose elements are not aligned. A vector
  /// without elements may lie anywhere.
  std::string problem;
  /// Upper bound of the memory of one form of the message: unpacked, in canonical types, or as the driver's copy. A
  /// vector that several tables share counts for each of them.
  uint64_t bytes = 0;
};

/// `envelope` has passed the verifier.
Inspection inspect(const fb::Envelope &envelope);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_WIRE_LIB_INSPECTION_H
