//===- ExtensionPrefixes.h - Prefixes of extensions --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_EXTENSIONPREFIXES_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_EXTENSIONPREFIXES_H

#include "api/ApiResult.h"

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::nnapi {

/// The prefix of an extension, the same in all models of the process, so that models with extensions can be parts of
/// others. BAD_DATA: no device supports the extension. Thread-safe.
ApiResult<uint16_t> prefixOf(const std::string &extension);

/// Whether prefixOf() gave the prefix for an extension.
bool isKnownPrefix(uint16_t prefix);

/// All prefixes so far.
std::vector<hal::ExtensionNameAndPrefix> knownPrefixes();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_EXTENSIONPREFIXES_H
