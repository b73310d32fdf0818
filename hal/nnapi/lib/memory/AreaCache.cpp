//===- AreaCache.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/AreaCache.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>

namespace avocet::nnapi {

ApiResult<std::unique_ptr<Area>> AreaCache::take(uint64_t size) {
  {
    std::lock_guard lock(mutex_);
    auto place =
        std::ranges::find_if(kept_, [&](const auto &kept) { return hal::sizeOf(*kept->area.memory()) >= size; });
    if (place != kept_.end()) {
      std::unique_ptr<Area> area = std::move(*place);
      kept_.erase(place);
      return area;
    }
  }
  AVOCET_ASSIGN_OR_RETURN(SharedArea made, SharedArea::make(size));
  return std::unique_ptr<Area>(new Area{std::move(made), {}});
}

void AreaCache::giveBack(std::unique_ptr<Area> area) {
  std::lock_guard lock(mutex_);
  if (kept_.size() < kMaxKept)
    kept_.push_back(std::move(area));
}

} // namespace avocet::nnapi
