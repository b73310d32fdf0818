//===- ClientSlots.h - The memory slots of a burst's client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_CLIENTSLOTS_H
#define AVOCET_HAL_BURST_LIB_CLIENTSLOTS_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// The slots of one burst. A slot belongs to an identifier until it is released, or to one execution. It keeps no
/// memory alive: a slot whose memory was destroyed is released when the next slot is needed. Thread-safe; one execution
/// at a time.
class ClientSlots {
public:
  explicit ClientSlots(size_t maxSlots) : maxSlots_(maxSlots) {}

  /// A slot for each pool of an execution, which finish() ends. `expired`: slots that the peer must release before the
  /// following call; they are returned with recycle(). InvalidArgument: an identifier denotes another memory.
  /// ResourceExhaustedTransient: no slot is left. On errors no slot is held except those in `expired`.
  Outcome begin(std::span<const RequestPool> pools, std::span<const int64_t> identifiers, std::vector<int32_t> &slots,
                std::vector<int32_t> &expired);

  /// Ends the execution. `released`: slots that it was the last to use.
  void finish(std::span<const int32_t> slots, std::vector<int32_t> &released);

  /// Releases an identifier's slot into `released`. If an execution uses the slot, finish() releases it instead.
  void release(int64_t identifier, std::vector<int32_t> &released);

  /// The peer has released the slot: it is the first to be reused.
  void recycle(int32_t slot);

  /// InvalidArgument: a slot is not in use, or its memory was destroyed.
  Result<std::vector<SharedMemory>> memories(std::span<const int32_t> slots) const;

private:
  static constexpr int64_t kNone = -1;
  struct Entry {
    std::weak_ptr<const Memory> memory;
    int64_t identifier = kNone;
    uint32_t numUses = 0; ///< pools of the running execution
    bool isInUse = false;
  };
  Result<int32_t> slotOf(const SharedMemory &memory, int64_t identifier);
  Result<int32_t> take(const SharedMemory &memory, int64_t identifier);
  void giveUp(int32_t slot, std::vector<int32_t> &released);
  void sweep(std::vector<int32_t> &expired);
  bool knowsAll(std::span<const int64_t> identifiers) const;
  void finishLocked(std::span<const int32_t> slots, std::vector<int32_t> &released);

  const size_t maxSlots_;
  mutable std::mutex mutex_; ///< a leaf
  std::vector<Entry> entries_;
  std::vector<int32_t> free_; ///< the last one is used first
  std::unordered_map<int64_t, int32_t> byIdentifier_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_CLIENTSLOTS_H
