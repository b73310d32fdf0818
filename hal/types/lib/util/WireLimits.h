//===- WireLimits.h - Limits of the fields of a version ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_UTIL_WIRELIMITS_H
#define AVOCET_HAL_UTIL_WIRELIMITS_H

#include "avocet/base/Log.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/hal/types/VerboseLog.h"

#include <cstdint>
#include <fmt/ranges.h>
#include <span>
#include <string>
#include <utility>

namespace avocet::hal {

inline bool isHidl(Version version) { return version <= Version::V1_3; }

/// AIDL's codes are signed.
inline constexpr uint16_t kMaxAidlPrefix = 0x7FFF;

/// HIDL: offset and length in 32 bits; AIDL: in 63. `place` begins the error message.
Outcome checkLocationFits(const DataLocation &location, Version version, const std::string &place);

/// AIDL: extents in 31 bits.
Outcome checkDimensionsFit(std::span<const uint32_t> dimensions, Version version, const std::string &place);

/// Locations, extents and extension prefixes of all subgraphs fit the fields of `version`.
Outcome checkModelFits(const Model &model, Version version);

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

#endif // AVOCET_HAL_UTIL_WIRELIMITS_H
