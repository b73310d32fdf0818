//===- ServedPower.h - Energy of runs on a device of a service --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDPOWER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDPOWER_H

#include "ServedFigures.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/types/DevicePower.h"
#include "avocet/session/ServedSession.h"

#include <optional>

namespace avocet::tool {

/// The sums of a device at one moment, if this process may read the service's totals.
class ServedPower {
public:
  static ServedPower read(const session::ServedOptions &options);

  /// The average of `runs` runs since `before`. Nothing: not readable, the device has no clock levels, other clients
  /// ran too, or the runs had different levels.
  std::optional<PowerFigures> since(const ServedPower &before, uint32_t runs, const firmware::Target &target) const;

private:
  std::optional<hal::DevicePower> power_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDPOWER_H
