//===- ValueMemory.cpp - Memory of tensors between steps ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueMemory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace avocet::session {

static constexpr size_t kMarkBytes = 64;
static constexpr uint8_t kMark = 0xA7;

void ValueMemory::Unmap::operator()(uint8_t *memory) const { ::munmap(memory, size_); }

/// Pages that are not touched take no memory.
Result<ValueMemory> ValueMemory::make(size_t bytes) {
  const size_t size = bytes + kMarkBytes;
  void *mapped =
      size < bytes ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return resourceExhausted(fmt::format("no memory for a tensor of {} bytes between host and device", bytes));
  ValueMemory made;
  made.memory_ = {static_cast<uint8_t *>(mapped), Unmap(size)};
  made.bytes_ = bytes;
  std::memset(made.memory_.get() + bytes, kMark, kMarkBytes);
  return made;
}

bool ValueMemory::isMarkWhole() const {
  return std::ranges::all_of(std::span<const uint8_t>(memory_.get() + bytes_, kMarkBytes),
                             [](uint8_t byte) { return byte == kMark; });
}

} // namespace avocet::session
