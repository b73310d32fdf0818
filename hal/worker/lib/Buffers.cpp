//===- Buffers.cpp - Memory files reused by successive requests -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <utility>

namespace avocet::hal {
namespace {

/// An invalid descriptor counts as a dead process.
bool isDead(const FileDescriptor &process) {
  pollfd entry{process.get(), POLLIN, 0};
  return !process.isValid() || (::poll(&entry, 1, 0) > 0 && (entry.revents & POLLIN) != 0);
}

} // namespace

avocet::Result<MemoryBuffer> MemoryBuffer::create() {
  MemoryBuffer buffer;
  AVOCET_ASSIGN_OR_RETURN(buffer.file_, createMemoryFile("avocet-compile", kBytes));
  AVOCET_RETURN_IF_ERROR(seal(buffer.file_, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, "avocet-compile"));
  void *start = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.file_.get(), 0);
  if (start == MAP_FAILED)
    return errnoStatus(errno, "cannot map a file for messages to compile workers");
  buffer.bytes_ = {static_cast<uint8_t *>(start), [](uint8_t *first) { ::munmap(first, kBytes); }};
  return buffer;
}

avocet::Status MemoryBuffer::reserve(uint64_t bytes) {
  if (bytes <= reserved_)
    return avocet::Status::ok();
  if (::fallocate(file_.get(), 0, 0, static_cast<off_t>(bytes)) != 0)
    return errnoStatus(errno, "cannot allocate a message to a compile worker");
  reserved_ = bytes;
  return avocet::Status::ok();
}

avocet::Result<std::unique_ptr<Buffers>> Buffers::create() {
  auto buffers = std::make_unique<Buffers>();
  AVOCET_ASSIGN_OR_RETURN(buffers->request_, MemoryBuffer::create());
  AVOCET_ASSIGN_OR_RETURN(buffers->answer_, MemoryBuffer::create());
  return buffers;
}

avocet::Status Buffers::writeRequest(const WorkerMessageWriter &message) {
  const uint64_t bytes = message.size(), before = std::exchange(requestBytes_, bytes);
  AVOCET_RETURN_IF_ERROR(request_.reserve(bytes));
  message.copyTo(request_.bytes());
  if (before > bytes)
    std::ranges::fill(request_.bytes().subspan(bytes, before - bytes), uint8_t{0});
  return Status::ok();
}

avocet::Result<WorkerMessage> Buffers::readAnswer(uint64_t bytes) {
  answerBytes_ = bytes;
  return WorkerMessage::copyOf(answer_.bytes().first(bytes));
}

void Buffers::clearAnswer() {
  std::ranges::fill(answer_.bytes().first(answerBytes_), uint8_t{0});
  answerBytes_ = 0;
}

avocet::Result<std::unique_ptr<BufferPool>> BufferPool::create() {
  auto pool = std::make_unique<BufferPool>();
  while (pool->idle_.size() < kMostIdle) {
    AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Buffers> buffers, Buffers::create());
    pool->keep(std::move(buffers), FileDescriptor());
  }
  return pool;
}

std::unique_ptr<Buffers> BufferPool::takeIdle() {
  std::lock_guard lock(mutex_);
  auto idle = std::ranges::find_if(idle_, [](const Idle &entry) { return isDead(entry.worker); });
  if (idle == idle_.end())
    return nullptr;
  std::unique_ptr<Buffers> buffers = std::move(idle->buffers);
  idle_.erase(idle);
  return buffers;
}

avocet::Result<std::unique_ptr<Buffers>> BufferPool::take() {
  std::unique_ptr<Buffers> buffers = takeIdle();
  return buffers != nullptr ? std::move(buffers) : Buffers::create();
}

void BufferPool::keep(std::unique_ptr<Buffers> buffers, FileDescriptor worker) {
  std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle)
    idle_.push_back({std::move(buffers), std::move(worker)});
}

void BufferPool::replace() {
  if (avocet::Result<std::unique_ptr<Buffers>> fresh = Buffers::create(); fresh.isOk())
    keep(std::move(*fresh), FileDescriptor());
}

} // namespace avocet::hal
