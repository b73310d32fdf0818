//===- SlotTable.h - Memories that a burst's client has named -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_SLOTTABLE_H
#define AVOCET_HAL_BURST_LIB_SLOTTABLE_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// Slots as the client numbers them; each memory has an identifier that is never used again, so that whoever keeps
/// something under it cannot take it for another memory in the same slot. Thread-safe.
class SlotTable {
public:
  explicit SlotTable(size_t maxSlots) : maxSlots_(maxSlots) {}

  /// Memories and identifiers of slots. False: some are unknown; `memories` and `identifiers` are unspecified.
  bool find(std::span<const int32_t> slots, std::vector<RequestPool> &memories,
            std::vector<int64_t> &identifiers) const;

  /// Each of the slots that is unknown, once.
  std::vector<int32_t> unknown(std::span<const int32_t> slots) const;

  /// ResourceExhaustedTransient: more than the limit. Slots that are known by now keep their memory.
  Outcome insert(std::span<const int32_t> slots, std::span<const SharedMemory> memories);

  /// The identifier that is gone with the slot.
  std::optional<int64_t> erase(int32_t slot);

private:
  struct Entry {
    SharedMemory memory;
    int64_t identifier = 0;
  };
  const size_t maxSlots_;
  mutable std::mutex mutex_; ///< a leaf
  std::unordered_map<int32_t, Entry> entries_;
  int64_t nextIdentifier_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_SLOTTABLE_H
