//===- SlotTable.h - Memories that a burst's client has named -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_SLOTTABLE_H
#define AVOCET_HAL_BURST_LIB_SLOTTABLE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// Slots by the client's numbers. Each memory has an identifier that is never reused, so that data kept under it cannot
/// be confused with another memory in the same slot. Thread-safe.
class SlotTable {
public:
  explicit SlotTable(size_t maxSlots) : maxSlots_(maxSlots) {}

  /// Memories and identifiers of slots. False: some are unknown; `memories` and `identifiers` are unspecified.
  bool find(std::span<const int32_t> slots, std::vector<RequestPool> &memories,
            std::vector<int64_t> &identifiers) const;

  /// The unknown ones of `slots`, each once.
  std::vector<int32_t> unknown(std::span<const int32_t> slots) const;

  /// ResourceExhaustedTransient: more than the limit. Slots that are known already keep their memory.
  Outcome insert(std::span<const int32_t> slots, std::span<const SharedMemory> memories);

  /// Returns the identifier of the erased memory; empty: the slot was unknown.
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
