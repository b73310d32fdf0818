//===- Losses.h - What conversions to older versions drop -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_UTIL_LOSSES_H
#define AVOCET_HAL_UTIL_LOSSES_H

#include "avocet/base/Log.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/VerboseLog.h"

#include <fmt/ranges.h>

#include <string>
#include <string_view>

namespace avocet::hal {

/// convertTo() for questions about a model, whose result no device gets: logs no losses.
Result<Converted<Model>> convertUnlogged(const Model &model, Version version);

/// Logs the losses of a conversion and returns it: one line, under the tag model or as a warning.
template <typename T> Converted<T> logged(Converted<T> converted, std::string_view what) {
  if (converted.losses.empty() || !(isVerbose(VerboseTag::Model) || isLogged(LogLevel::Warning)))
    return converted;
  const std::string text =
      fmt::format("{} converted to an older version, which drops: {}", what, fmt::join(converted.losses, ", "));
  if (isVerbose(VerboseTag::Model))
    writeVerbose(VerboseTag::Model, text);
  else
    logText(LogLevel::Warning, "hal", text);
  return converted;
}

} // namespace avocet::hal

#endif // AVOCET_HAL_UTIL_LOSSES_H
