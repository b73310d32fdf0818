//===- Arena.cpp - Memory between steps -----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/Arena.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace avocet::hal::partition {

/// A first chunk is not larger, since a plan's subgraphs need not all run.
static constexpr uint64_t kMaxFirstChunk = uint64_t{1} << 28;
static constexpr uint64_t kMinChunk = uint64_t{1} << 16;

Result<std::unique_ptr<Chunk>> Chunk::make(const std::string &name, uint64_t bytes) {
  auto chunk = std::make_unique<Chunk>();
  auto file = createMemoryFile(name, bytes);
  if (!file)
    return fromStatus(file.status());
  auto mapping = Mapping::map(file->get(), bytes, Mapping::Access::ReadWrite);
  if (!mapping)
    return fromStatus(mapping.status());
  chunk->mapping_ = std::move(mapping).value();
  chunk->memory_ =
      std::make_shared<Memory>(Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file).value()), bytes}});
  chunk->free_[0] = bytes;
  return chunk;
}

bool Chunk::take(uint64_t bytes, uint64_t &offset) {
  const auto place = std::ranges::find_if(free_, [&](const auto &range) { return range.second >= bytes; });
  if (place == free_.end())
    return false;
  offset = place->first;
  const uint64_t rest = place->second - bytes;
  free_.erase(place);
  if (rest != 0)
    free_[offset + bytes] = rest;
  return true;
}

void Chunk::release(uint64_t offset, uint64_t bytes) {
  auto place = free_.emplace(offset, bytes).first;
  if (const auto next = std::next(place); next != free_.end() && place->first + place->second == next->first) {
    place->second += next->second;
    free_.erase(next);
  }
  if (place == free_.begin())
    return;
  if (const auto before = std::prev(place); before->first + before->second == place->first) {
    before->second += place->second;
    free_.erase(place);
  }
}

Result<std::shared_ptr<Area>> Arena::allocate(uint64_t bytes) {
  const std::optional<uint64_t> size = checkedRoundUp(std::max<uint64_t>(bytes, 1), kPreferredAlignment);
  if (!size || *size > kMaxByteSize + kPreferredAlignment)
    return error(ErrorStatus::ResourceExhaustedPersistent, fmt::format("a value of {} bytes between steps", bytes));
  uint64_t offset = 0;
  for (size_t i = 0; i < chunks_.size(); ++i)
    if (chunks_[i]->take(*size, offset))
      return std::make_shared<Area>(*chunks_[i], static_cast<int64_t>(i), offset, *size);
  const uint64_t wanted = chunks_.empty() ? std::min(expected_, kMaxFirstChunk) : 0;
  AVOCET_ASSIGN_OR_RETURN(auto chunk, Chunk::make("avocet-steps", std::max({wanted, *size, kMinChunk})));
  chunk->take(*size, offset);
  chunks_.push_back(std::move(chunk));
  return std::make_shared<Area>(*chunks_.back(), static_cast<int64_t>(chunks_.size()) - 1, offset, *size);
}

std::unique_ptr<Arena> ArenaPool::take() {
  std::scoped_lock lock(mutex_);
  if (kept_.empty())
    return std::make_unique<Arena>(bytes_);
  std::unique_ptr<Arena> arena = std::move(kept_.back());
  kept_.pop_back();
  return arena;
}

void ArenaPool::giveBack(std::unique_ptr<Arena> arena) {
  std::scoped_lock lock(mutex_);
  if (kept_.size() < kMaxKept)
    kept_.push_back(std::move(arena));
}

} // namespace avocet::hal::partition
