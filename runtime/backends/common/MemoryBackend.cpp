//===- MemoryBackend.cpp - Buffers and address spaces in host memory --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/MemoryBackend.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::runtime {
namespace {

bool includes(Access access, Access part) { return (static_cast<uint32_t>(access) & static_cast<uint32_t>(part)) != 0; }

bool isValid(Access access) {
  auto bits = static_cast<uint32_t>(access);
  return bits >= 1 && bits <= 3;
}

} // namespace

Result<MemoryBackend::ContextEntry *> MemoryBackend::findContext(ContextHandle context) {
  auto entry = contexts_.find(context);
  if (entry == contexts_.end() || entry->second.closing)
    return invalidArgument(fmt::format("there is no context {}", context));
  return &entry->second;
}

Result<MemoryBackend::BufferEntry *> MemoryBackend::findBuffer(BufferHandle buffer) {
  auto entry = buffers_.find(buffer);
  if (entry == buffers_.end())
    return invalidArgument(fmt::format("there is no buffer {}", buffer));
  return &entry->second;
}

Result<ContextHandle> MemoryBackend::createContext(uint32_t owner) {
  std::lock_guard lock(tables_);
  auto jobs = std::make_shared<JobLog>(nextContext_, queueDepth_);
  AVOCET_RETURN_IF_ERROR(contextCreated(nextContext_, owner, jobs));
  contexts_[nextContext_].jobs = std::move(jobs);
  return nextContext_++;
}

Status MemoryBackend::destroyContext(ContextHandle context) {
  {
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
    entry->closing = true;
  }
  Status drained = drainContext(context);
  std::lock_guard lock(tables_);
  ContextEntry &entry = contexts_.at(context);
  while (!entry.mappings.empty())
    removeMapping(context, entry, entry.mappings.begin());
  contextDestroyed(context);
  contexts_.erase(context);
  return drained;
}

Result<BufferHandle> MemoryBackend::addBuffer(FileDescriptor file, uint64_t offset, uint64_t bytes, bool writable) {
  BufferEntry entry;
  auto access = writable ? Mapping::Access::ReadWrite : Mapping::Access::Read;
  AVOCET_ASSIGN_OR_RETURN(entry.memory, Mapping::map(file.get(), bytes, access, offset));
  entry.file = std::move(file);
  entry.bytes = bytes;
  entry.writable = writable;
  std::lock_guard lock(tables_);
  buffers_.emplace(nextBuffer_, std::move(entry));
  return nextBuffer_++;
}

Result<BufferHandle> MemoryBackend::createBuffer(uint64_t bytes) {
  if (bytes == 0)
    return invalidArgument("buffer: size is 0, must be at least 1");
  if (bytes > kMaxBufferBytes)
    return resourceExhausted(fmt::format("buffer: size is {} bytes, must be at most {}", bytes, kMaxBufferBytes));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-buffer", bytes));
  return addBuffer(std::move(file), 0, bytes, true);
}

Result<BufferHandle> MemoryBackend::importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                                 bool writable) {
  if (bytes == 0 || !file.isValid())
    return invalidArgument("buffer: nothing to import (no descriptor, or 0 bytes)");
  if (offset % kPageBytes != 0)
    return invalidArgument(fmt::format("buffer: offset {} is not a multiple of {}", offset, kPageBytes));
  AVOCET_ASSIGN_OR_RETURN(uint64_t have, fileSize(file, "the imported descriptor"));
  if (have < offset || have - offset < bytes)
    return dataLoss(
        fmt::format("buffer: the imported file has {} bytes, {} from {} on are needed", have, bytes, offset));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor own, file.duplicate());
  return addBuffer(std::move(own), offset, bytes, writable);
}

Result<BufferHandle> MemoryBackend::importMemory(std::span<uint8_t> memory, bool writable) {
  if (memory.empty() || reinterpret_cast<uintptr_t>(memory.data()) % kPageBytes != 0)
    return invalidArgument("buffer: memory of the caller must not be empty, and must begin at a page");
  BufferEntry entry;
  entry.foreign = memory;
  entry.bytes = memory.size();
  entry.writable = writable;
  std::lock_guard lock(tables_);
  buffers_.emplace(nextBuffer_, std::move(entry));
  return nextBuffer_++;
}

Result<FileDescriptor> MemoryBackend::exportBuffer(BufferHandle buffer) {
  std::lock_guard lock(tables_);
  AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
  if (!entry->foreign.empty())
    return failedPrecondition(fmt::format("buffer {} is memory of the caller, which has no descriptor", buffer));
  return entry->file.duplicate();
}

Status MemoryBackend::destroyBuffer(BufferHandle buffer) {
  std::lock_guard lock(tables_);
  AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
  if (entry->mappings != 0)
    return failedPrecondition(fmt::format("buffer {} is still mapped {} times", buffer, entry->mappings));
  buffers_.erase(buffer);
  return Status::ok();
}

/// First gap that is large enough. One page stays free after each mapping, so that an overrun faults.
Result<uint64_t> MemoryBackend::findAddress(const ContextEntry &context, uint64_t bytes) {
  uint64_t address = kFirstAddress;
  for (const auto &[begin, mapping] : context.mappings) {
    if (begin - address >= bytes + kPageBytes)
      return address;
    address = begin + mapping.bytes + kPageBytes;
  }
  if (kLastAddress - address < bytes)
    return resourceExhausted(fmt::format("no room for {} bytes in the context's address space", bytes));
  return address;
}

Result<uint64_t> MemoryBackend::map(ContextHandle context, BufferHandle buffer, Access access) {
  if (!isValid(access))
    return invalidArgument(
        fmt::format("map: access is {}, must be 1 (read), 2 (write) or 3 (both)", static_cast<uint32_t>(access)));
  std::lock_guard lock(tables_);
  AVOCET_ASSIGN_OR_RETURN(ContextEntry * contextEntry, findContext(context));
  AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
  if (includes(access, Access::Write) && !entry->writable)
    return invalidArgument(fmt::format("map: buffer {} is read-only", buffer));
  uint64_t bytes = roundUp(entry->bytes, kPageBytes);
  AVOCET_ASSIGN_OR_RETURN(uint64_t address, findAddress(*contextEntry, bytes));
  AVOCET_RETURN_IF_ERROR(mapped(context, address, entry->contents(), access));
  contextEntry->mappings.emplace(address, MappingEntry{buffer, bytes});
  ++entry->mappings;
  return address;
}

Status MemoryBackend::unmap(ContextHandle context, uint64_t address) {
  std::lock_guard lock(tables_);
  AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
  auto mapping = entry->mappings.find(address);
  if (mapping == entry->mappings.end())
    return invalidArgument(fmt::format("unmap: nothing is mapped at {:#x} of context {}", address, context));
  removeMapping(context, *entry, mapping);
  return Status::ok();
}

void MemoryBackend::removeMapping(ContextHandle handle, ContextEntry &context,
                                  std::map<uint64_t, MappingEntry>::iterator mapping) {
  BufferEntry &buffer = buffers_.at(mapping->second.buffer);
  unmapped(handle, mapping->first);
  --buffer.mappings;
  context.mappings.erase(mapping);
}

Result<std::shared_ptr<JobLog>> MemoryBackend::logOf(ContextHandle context) {
  std::lock_guard lock(tables_);
  AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
  return entry->jobs;
}

Result<JobOutcome> MemoryBackend::wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<JobLog> jobs, logOf(context));
  return jobs->wait(job, timeout);
}

} // namespace avocet::runtime
