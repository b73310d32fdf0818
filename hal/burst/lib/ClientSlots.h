//===- ClientSlots.h - How a burst's client numbers its memories -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_CLIENTSLOTS_H
#define AVOCET_HAL_BURST_LIB_CLIENTSLOTS_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// The slots of one burst. A slot belongs to an identifier until it is released, or to one execution. It keeps no
/// memory alive: a slot whose memory is gone is given up when the next one is needed. Thread-safe; one execution at a
/// time.
class ClientSlots {
public:
  explicit ClientSlots(size_t maxSlots) : maxSlots_(maxSlots) {}

  /// A slot for each pool of an execution, which finish() ends. `expired` are slots that the peer must forget before
  /// the call that follows; they are given back with recycle(). InvalidArgument: an identifier stands for another
  /// memory. ResourceExhaustedTransient: no slot is left. Nothing is held on errors but what `expired` says.
  Outcome begin(std::span<const RequestPool> pools, std::span<const int64_t> identifiers, std::vector<int32_t> &slots,
                std::vector<int32_t> &expired);

  /// Ends the execution. `released` are slots that it was the last user of.
  void finish(std::span<const int32_t> slots, std::vector<int32_t> &released);

  /// Gives up an identifier's slot; if an execution uses it, finish() does. `released` gets it otherwise.
  void release(int64_t identifier, std::vector<int32_t> &released);

  /// The peer has forgotten the slot: it is the first to be used again.
  void recycle(int32_t slot);

  /// InvalidArgument: a slot is not in use, or its memory is gone.
  Result<std::vector<SharedMemory>> memories(std::span<const int32_t> slots) const;

  size_t numInUse() const;

private:
  static constexpr int64_t kNone = -1;
  struct Entry {
    std::weak_ptr<const Memory> memory;
    int64_t identifier = kNone;
    uint32_t numUses = 0; ///< pools of the execution that runs
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
