//===- CacheToken.h - Names compiled models in a folder ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CACHE_CACHETOKEN_H
#define AVOCET_HAL_NNAPI_LIB_CACHE_CACHETOKEN_H

#include "compilation/CompilationOptions.h"

#include "avocet/hal/partition/Partition.h"

#include <cstdint>
#include <span>
#include <string>

namespace avocet::nnapi {

/// The token of a part of a model on a device: the SHA-256 of everything that changes what is compiled, the
/// application's token among it. `step`: empty for a whole model.
hal::CacheToken tokenFor(const CompilationOptions &options, const hal::IDevice &device,
                         std::span<const hal::SourceOperation> step);

/// The name of a cache file: two letters for each byte of the token, '1' (model) or '2' (data), and the index.
std::string cacheFileName(const hal::CacheToken &token, bool isData, uint32_t index);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CACHE_CACHETOKEN_H
