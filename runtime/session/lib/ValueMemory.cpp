//===- ValueMemory.cpp - Memory of tensors between steps ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueMemory.h"

#include "avocet/runtime/Backend.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace avocet::session {

static constexpr size_t kMarkBytes = 64;
static constexpr uint8_t kMark = 0xA7;
static constexpr auto kAlignment = std::align_val_t{runtime::kPageBytes};

void ValueMemory::Release::operator()(uint8_t *memory) const { ::operator delete(memory, kAlignment); }

Result<ValueMemory> ValueMemory::make(size_t bytes) {
  ValueMemory made;
  made.memory_.reset(static_cast<uint8_t *>(::operator new(bytes + kMarkBytes, kAlignment, std::nothrow)));
  if (!made.memory_)
    return resourceExhausted(fmt::format("no memory for a tensor of {} bytes between host and device", bytes));
  made.bytes_ = bytes;
  std::memset(made.memory_.get(), 0, bytes);
  std::memset(made.memory_.get() + bytes, kMark, kMarkBytes);
  return made;
}

bool ValueMemory::isMarkWhole() const {
  return std::ranges::all_of(std::span<const uint8_t>(memory_.get() + bytes_, kMarkBytes),
                             [](uint8_t byte) { return byte == kMark; });
}

} // namespace avocet::session
