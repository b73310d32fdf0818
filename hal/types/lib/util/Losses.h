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
#include "avocet/hal/types/VerboseLog.h"

#include <fmt/ranges.h>

#include <utility>

namespace avocet::hal {

/// Logs the losses of a conversion and returns it: one line, under the tag model or at the level info.
template <typename T> Converted<T> logged(Converted<T> converted, std::string_view what) {
  if (converted.losses.empty() || !(isVerbose(VerboseTag::Model) || isLogged(LogLevel::Info)))
    return converted;
  const std::string text =
      fmt::format("{} converted to an older version, which drops: {}", what, fmt::join(converted.losses, ", "));
  if (isVerbose(VerboseTag::Model))
    writeVerbose(VerboseTag::Model, text);
  else
    logText(LogLevel::Info, "hal", text);
  return converted;
}

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_UTIL_LOSSES_H
