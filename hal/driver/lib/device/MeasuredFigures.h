//===- MeasuredFigures.h - Measured capabilities ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_MEASUREDFIGURES_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_MEASUREDFIGURES_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace avocet::hal {

/// The files data/capabilities-*.json, and an empty text.
std::span<const std::string_view> measuredFigures();

/// From the file of the target with this fingerprint, which 'avocet calibrate' wrote. Scalars have the figures of their
/// tensors. What is not measured, and targets without a file, are unknown (FLT_MAX).
Capabilities measuredCapabilities(uint64_t fingerprint);

/// The same from one file's text; all unknown if it is for another target or not such a file.
Capabilities capabilitiesOf(std::string_view text, uint64_t fingerprint);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_MEASUREDFIGURES_H
