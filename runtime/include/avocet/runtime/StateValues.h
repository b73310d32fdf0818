//===- StateValues.h - Values that a network keeps --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_STATEVALUES_H
#define AVOCET_RUNTIME_STATEVALUES_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace avocet::runtime {

/// The values of a network's states between its runs, wherever they are. Threads: one at a time, and none while the
/// network runs.
class StateValues {
public:
  virtual ~StateValues() = default;

  virtual size_t count() const = 0;
  /// index < count(): name, type and shape.
  virtual cache::OperandView description(size_t index) const = 0;
  /// The value before the next run; may be written. index < count().
  virtual std::span<uint8_t> bytes(size_t index) = 0;

  /// The state with the name. NotFound lists the names.
  Result<size_t> find(std::string_view name) const;
  /// All states get their initial values.
  void reset();
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_STATEVALUES_H
