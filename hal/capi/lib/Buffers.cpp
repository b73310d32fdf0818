//===- Buffers.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include <sys/mman.h>

namespace avocet::hal::capi {

BufferToken BufferTable::add(const SharedApiMemory &memory) {
  std::lock_guard lock(mutex_);
  const BufferToken token{++last_};
  memories_[token] = memory;
  return token;
}

void BufferTable::remove(BufferToken token) {
  std::lock_guard lock(mutex_);
  memories_.erase(token);
}

SharedApiMemory BufferTable::find(BufferToken token) const {
  std::lock_guard lock(mutex_);
  const auto found = memories_.find(token);
  return found == memories_.end() ? nullptr : found->second;
}

namespace {

class Buffer : public IBuffer {
public:
  Buffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory)
      : api_(std::move(api)), table_(std::move(table)), memory_(std::move(memory)), token_(table_->add(memory_)) {}
  ~Buffer() override { table_->remove(token_); }

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

private:
  Result<OwnedMemory> open(const SharedMemory &memory) const {
    return memory ? makeMemory(*api_, *memory, PROT_READ | PROT_WRITE) : invalidArgument("the memory is null");
  }

  const SharedApi api_;
  const std::shared_ptr<BufferTable> table_;
  const SharedApiMemory memory_;
  const BufferToken token_;
};

/// The C interface has one code for a buffer without a value and for a wrong size; the first is what callers test for.
Outcome Buffer::copyTo(const SharedMemory &memory) {
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory target, open(memory));
  Outcome copied = check(api_->table->ANeuralNetworksMemory_copy(memory_.get(), target.get()), "Memory_copy");
  if (copied.code() == ErrorStatus::InvalidArgument)
    return generalFailure(copied.error().message);
  return copied;
}

Outcome Buffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &) {
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory source, open(memory));
  return check(api_->table->ANeuralNetworksMemory_copy(source.get(), memory_.get()), "Memory_copy");
}

} // namespace

std::shared_ptr<IBuffer> makeBuffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory) {
  return std::make_shared<Buffer>(std::move(api), std::move(table), std::move(memory));
}

} // namespace avocet::hal::capi
