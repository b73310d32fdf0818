//===- Area.cpp - Memory that the application and the device share - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Area.h"

#include <algorithm>
#include <fcntl.h>

namespace avocet::plugin {

Result<std::shared_ptr<Area>> Area::create(uint64_t bytes) {
  auto area = std::make_shared<Area>();
  const uint64_t size = std::max<uint64_t>(bytes, 1);
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-plugin", size));
  // Spares the driver a look at the size in each run.
  AVOCET_RETURN_IF_ERROR(seal(file, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, "avocet-plugin"));
  AVOCET_ASSIGN_OR_RETURN(area->mapping_, Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
  auto handle = std::make_shared<const FileDescriptor>(std::move(file));
  area->memory_ = std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}});
  return area;
}

std::optional<uint64_t> Area::offsetOf(const void *data, uint64_t bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(mapping_.bytes().data());
  const auto first = reinterpret_cast<uintptr_t>(data);
  if (first < begin || first - begin > size() || bytes > size() - (first - begin))
    return std::nullopt;
  return first - begin;
}

Result<std::shared_ptr<Area>> Areas::create(uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Area> area, Area::create(bytes));
  std::lock_guard lock(mutex_);
  std::erase_if(areas_, [](const auto &each) { return each.second.expired(); });
  areas_[reinterpret_cast<uintptr_t>(area->data())] = area;
  return area;
}

std::optional<Place> Areas::find(const void *data, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto after = areas_.upper_bound(reinterpret_cast<uintptr_t>(data));
  if (after == areas_.begin())
    return std::nullopt;
  std::shared_ptr<Area> area = std::prev(after)->second.lock();
  const std::optional<uint64_t> offset = area == nullptr ? std::nullopt : area->offsetOf(data, bytes);
  return offset ? std::optional(Place{std::move(area), *offset}) : std::nullopt;
}

} // namespace avocet::plugin
