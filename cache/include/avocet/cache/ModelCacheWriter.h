//===- ModelCacheWriter.h - A model cache from its description --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_MODELCACHEWRITER_H
#define AVOCET_CACHE_MODELCACHEWRITER_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelDescription.h"

#include <cstdint>
#include <vector>

namespace avocet::cache {

/// The bytes of a model cache. The same description gives the same bytes on every machine. The writer does not check
/// the rules of the format: the caller verifies the result with ModelCache::adopt() before it leaves the process.
/// ResourceExhausted if it would be larger than kMaxModelBytes.
Result<std::vector<uint8_t>> writeModelCache(const ModelDescription &model);

} // namespace avocet::cache

#endif // AVOCET_CACHE_MODELCACHEWRITER_H
