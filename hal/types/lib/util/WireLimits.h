//===- WireLimits.h - Limits of the fields of a version ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_UTIL_WIRELIMITS_H
#define AVOCET_HAL_UTIL_WIRELIMITS_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <string>

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

} // namespace avocet::hal

#endif // AVOCET_HAL_UTIL_WIRELIMITS_H
