//===- Losses.h - Losses of conversions -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LIB_UTIL_LOSSES_H
#define AVOCET_HAL_TYPES_LIB_UTIL_LOSSES_H

#include "avocet/base/Log.h"
#include "avocet/hal/types/Compatibility.h"

#include <fmt/ranges.h>

#include <utility>

namespace avocet::hal {

/// Logs the losses of a conversion and returns it.
template <typename T> Converted<T> logged(Converted<T> converted, std::string_view what) {
  if (!converted.losses.empty())
    logMessage(LogLevel::Info, "hal", "{} converted to an older version, which drops: {}", what,
               fmt::join(converted.losses, ", "));
  return converted;
}

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_UTIL_LOSSES_H
