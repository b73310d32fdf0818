//===- Value.h - Values of operands -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_VALUE_H
#define AVOCET_HAL_PARTITION_LIB_RUN_VALUE_H

#include "run/Arena.h"

#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal::partition {

/// Where the caller of an execution wants an output.
struct Destination {
  RequestPool pool;
  int64_t identifier = -1; ///< of the caller's memory in a burst
  DataLocation location;
  std::vector<uint32_t> dimensions; ///< that the request gives, or empty
};

/// The value of an operand during an execution. Copies share the bytes.
struct Value {
  /// Omitted: the caller gave no value. Empty: an extent is 0.
  enum class State { Unset, Omitted, Empty, Set };
  State state = State::Unset;
  std::shared_ptr<Area> area; ///< owns the bytes; null: they are the caller's or constants
  RequestPool pool;
  int64_t identifier = -1; ///< of the pool in a burst of the caller
  DataLocation location;
  std::vector<uint32_t> dimensions;
  bool isAtDestination = false; ///< in the region that the caller gave for an output
};

/// The first byte of a value, which may be in any memory that can be mapped.
Result<uint8_t> firstByte(const Value &value);

/// Copies a value into the region of an output.
Outcome copyTo(const Destination &destination, const Value &value);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_VALUE_H
