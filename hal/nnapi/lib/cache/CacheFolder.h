//===- CacheFolder.h - Cache files of an application -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H
#define AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H

#include "compilation/CompilationOptions.h"

#include "avocet/hal/types/Interfaces.h"

#include <optional>

namespace avocet::nnapi {

/// Existing: only files that are there, to be read. Created: also new ones, to be written.
enum class CacheAccess { Existing, Created };

/// Opens the files of a token in the application's folder, as many as a device needs. Empty: one is missing, is no
/// regular file, or another process uses it; the model is then compiled without a cache. Locks the files until the
/// descriptors are closed, so that no process reads what another one writes. Files that the application has opened
/// itself are returned as they are.
std::optional<hal::CacheFiles> openCacheFiles(const CachePlace &place, const hal::CacheToken &token,
                                              const hal::NumberOfCacheFiles &needed, CacheAccess access);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H
