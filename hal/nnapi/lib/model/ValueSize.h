//===- ValueSize.h - Bytes of values, also of extensions' types -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_VALUESIZE_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_VALUESIZE_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <span>

namespace avocet::nnapi {

/// As hal::getNonExtensionSize(), and also for types of extensions, by the facts that the devices state. Empty too for
/// a type that no device has. Thread-safe.
std::optional<uint64_t> valueSize(hal::OperandType type, std::span<const uint32_t> dimensions);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_VALUESIZE_H
