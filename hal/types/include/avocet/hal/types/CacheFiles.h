//===- CacheFiles.h - Cache files of a client -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_CACHEFILES_H
#define AVOCET_HAL_TYPES_CACHEFILES_H

#include "avocet/hal/types/Interfaces.h"

#include <string>

namespace avocet::hal {

/// Empty memory files, as many as the device needs, and a token that is unique to the name.
avocet::Result<CacheFiles> makeCacheFiles(const IDevice &device, const std::string &name);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_CACHEFILES_H
