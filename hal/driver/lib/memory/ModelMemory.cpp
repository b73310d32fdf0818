//===- ModelMemory.cpp - Clients' memory in one model's address space -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/ModelMemory.h"

#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"

#include <algorithm>

namespace avocet::hal {
namespace {

using runtime::Buffer;
using runtime::BufferMapping;
using runtime::kPageBytes;

/// The pages of a pool up to the end of its file; empty if it has none, or is no regular file.
std::optional<FilePages> pagesOf(const PoolFile &pool, bool isWritten) {
  const std::optional<FileIdentity> &file = pool.identity();
  if (!file || file->size <= pool.start())
    return std::nullopt;
  uint64_t end = std::min(pool.start() + pool.size(), file->size);
  return FilePages{file->device, file->inode, pool.start() / kPageBytes * kPageBytes, end, isWritten};
}

/// The answer for a pool that the device cannot use.
std::shared_ptr<MappedPool> toBeCopied(const PoolFile &pool, std::string_view why) {
  verbose(VerboseTag::Memory, "pool of {} bytes is copied, not mapped: {}", pool.size(), why);
  return nullptr;
}

/// Copying can replace the mapping after most errors.
Result<std::shared_ptr<MappedPool>> copiedAfter(const PoolFile &pool, const avocet::Status &status) {
  if (status.code() == StatusCode::DeviceLost)
    return fromStatus(status);
  return toBeCopied(pool, status.message());
}

} // namespace

std::optional<uint64_t> MappedPool::find(const PoolFile &pool, uint64_t offset, uint64_t bytes) const {
  uint64_t begin = pool.start() + offset;
  if (begin < pages.first || begin > pages.end || bytes > pages.end - begin)
    return std::nullopt;
  return begin - pages.first;
}

Result<std::shared_ptr<const MappedPool>> ModelMemory::map(const PoolFile &pool, bool isWritten) {
  std::optional<FilePages> pages = pagesOf(pool, isWritten);
  if (!pages)
    return std::shared_ptr<const MappedPool>(toBeCopied(pool, "it is no file with pages at its place"));
  if (std::shared_ptr<const MappedPool> known = find(*pages))
    return known;
  if (!pool.isPrompt())
    return std::shared_ptr<const MappedPool>(toBeCopied(pool, "its file system may block"));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<MappedPool> mapped, import(pool, *pages));
  if (mapped != nullptr)
    keep(mapped);
  return std::shared_ptr<const MappedPool>(std::move(mapped));
}

std::shared_ptr<const MappedPool> ModelMemory::find(const FilePages &pages) {
  std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(pools_, [&](const auto &pool) { return pool->pages.include(pages); });
  if (found == pools_.end())
    return nullptr;
  pools_.splice(pools_.begin(), pools_, found);
  pools_.front()->lastUse = client_.core().idle().now();
  return pools_.front();
}

Result<std::shared_ptr<MappedPool>> ModelMemory::import(const PoolFile &pool, const FilePages &pages) {
  uint64_t bytes = pages.end - pages.first;
  auto mapped = std::make_shared<MappedPool>();
  AVOCET_ASSIGN_OR_RETURN(mapped->charge, client_.memory()->take(bytes));
  avocet::Result<std::shared_ptr<Buffer>> buffer =
      Buffer::import(context_->sharedDevice(), pool.file(), pages.first, bytes, pages.isWritable);
  if (!buffer)
    return copiedAfter(pool, buffer.status());
  auto access = pages.isWritable ? runtime::Access::ReadWrite : runtime::Access::Read;
  avocet::Result<std::shared_ptr<BufferMapping>> mapping = context_->map(std::move(buffer).value(), access);
  if (!mapping)
    return copiedAfter(pool, mapping.status());
  mapped->mapping = std::move(mapping).value();
  mapped->pages = pages;
  mapped->mayShrink = pool.mayShrink() || !pool.reaches(pages.end); // in this order: it may have shrunk until now
  mapped->lastUse = client_.core().idle().now();
  client_.core().counters().poolsMapped += 1;
  verbose(VerboseTag::Memory, "pool mapped: {} bytes, {}", bytes, pages.isWritable ? "writable" : "read-only");
  return mapped;
}

void ModelMemory::keep(const std::shared_ptr<MappedPool> &mapped) {
  Pools evicted;
  {
    std::lock_guard lock(mutex_);
    pools_.push_front(mapped);
    bytes_ += mapped->charge.amount();
    while (pools_.size() > kMaxPools || (bytes_ > kMaxBytes && pools_.size() > 1)) {
      bytes_ -= pools_.back()->charge.amount();
      evicted.splice(evicted.end(), pools_, std::prev(pools_.end()));
    }
  }
  if (!evicted.empty())
    verbose(VerboseTag::Memory, "{} mapped pools evicted: a model keeps {} pools or {} bytes", evicted.size(),
            kMaxPools, kMaxBytes);
  release(evicted);
  client_.core().idle().touch();
}

template <typename IsMeant> ModelMemory::Pools ModelMemory::takeOut(IsMeant &&isMeant) {
  Pools taken;
  std::lock_guard lock(mutex_);
  for (auto pool = pools_.begin(); pool != pools_.end();) {
    auto next = std::next(pool);
    if (isMeant(*pool)) {
      bytes_ -= (*pool)->charge.amount();
      taken.splice(taken.end(), pools_, pool);
    }
    pool = next;
  }
  return taken;
}

/// Also frees idle jobs bound to the pools, which would keep the mappings alive.
void ModelMemory::release(const Pools &pools) {
  for (const auto &pool : pools)
    programs_.release(pool->mapping.get());
}

Result<std::shared_ptr<BufferMapping>> ModelMemory::map(const std::shared_ptr<Buffer> &buffer) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = buffers_.find(buffer.get()); found != buffers_.end())
      return found->second;
  }
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<BufferMapping> mapping,
                          toHalResult(context_->map(buffer, runtime::Access::ReadWrite)));
  std::lock_guard lock(mutex_);
  return buffers_.try_emplace(buffer.get(), std::move(mapping)).first->second;
}

void ModelMemory::unmap(const Buffer *buffer) {
  std::shared_ptr<BufferMapping> mapping; // destroyed without the lock
  {
    std::lock_guard lock(mutex_);
    auto found = buffers_.find(buffer);
    if (found == buffers_.end())
      return;
    mapping = std::move(found->second);
    buffers_.erase(found);
  }
  programs_.release(mapping.get());
}

Outcome ModelMemory::checkIntact(const std::shared_ptr<const MappedPool> &mapped, const PoolFile &pool) {
  // A system call for each pool of each run, which clients avoid by sealing the file.
  const bool reaches = !mapped->mayShrink || pool.reaches(mapped->pages.end);
  if (reaches && !mapped->mapping->buffer()->isDamaged())
    return success();
  release(takeOut([&](const auto &known) { return known == mapped; }));
  return generalFailure("its file was truncated while it was in use");
}

void ModelMemory::forget(const SharedMemory &memory) {
  Result<PoolFile> file = PoolFile::open(memory);
  if (!file || !file->identity())
    return;
  const FileIdentity &meant = *file->identity();
  release(takeOut(
      [&](const auto &known) { return known->pages.device == meant.device && known->pages.inode == meant.inode; }));
}

size_t ModelMemory::trim(TimePoint before) {
  const Pools idle = takeOut([&](const auto &known) { return known->lastUse < before; });
  if (!idle.empty())
    verbose(VerboseTag::Memory, "{} idle mapped pools freed", idle.size());
  release(idle);
  std::lock_guard lock(mutex_);
  return pools_.size();
}

} // namespace avocet::hal
