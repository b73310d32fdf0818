//===- SharedArea.cpp - Memory that this process and devices map ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/SharedArea.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <atomic>

namespace avocet::nnapi {
namespace {

int64_t nextNumber() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool isSame(const std::weak_ptr<hal::IBurst> &a, const std::shared_ptr<hal::IBurst> &b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

} // namespace

MemoryIdentity::MemoryIdentity() : number_(nextNumber()) {}

MemoryIdentity::~MemoryIdentity() {
  for (const auto &weak : bursts_)
    if (std::shared_ptr<hal::IBurst> burst = weak.lock())
      (void)burst->releaseMemoryResource(number_);
}

void MemoryIdentity::noteUse(const std::shared_ptr<hal::IBurst> &burst) {
  std::lock_guard lock(mutex_);
  std::erase_if(bursts_, [](const auto &weak) { return weak.expired(); });
  for (const auto &weak : bursts_)
    if (isSame(weak, burst))
      return;
  bursts_.push_back(burst);
}

namespace {

Result<Mapping> mapWhole(const FileDescriptor &file, uint64_t size) {
  return Mapping::map(file.get(), size, Mapping::Access::ReadWrite);
}

} // namespace

ApiResult<SharedArea> SharedArea::make(uint64_t size) {
  auto file = createMemoryFile("nnapi", size);
  if (!file)
    return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, file.error().message()};
  auto mapping = mapWhole(*file, size);
  if (!mapping)
    return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, mapping.error().message()};
  SharedArea area;
  area.mapping_ = std::move(*mapping);
  auto handle = std::make_shared<const FileDescriptor>(std::move(*file));
  area.memory_ = std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}});
  return area;
}

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
