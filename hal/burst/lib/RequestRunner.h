//===- RequestRunner.h - From request packet to result packet ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H
#define AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H

#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/burst/BurstServer.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <memory>
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

/// Executes the packets of a burst's server. A packet equal to the last one is not decoded again. One thread, except
/// freeMemory().
class RequestRunner {
public:
  RequestRunner(std::shared_ptr<IBurst> burst, MemorySource source, size_t maxSlots)
      : burst_(std::move(burst)), source_(std::move(source)), slots_(maxSlots) {}

  /// Always returns a result packet, valid until the next call. It has at most `capacity` elements (at least 2): a
  /// longer result becomes GeneralFailure.
  std::span<const FmqResultDatum> run(std::span<const FmqRequestDatum> packet, size_t capacity);

  /// Any thread.
  void freeMemory(int32_t slot);

private:
  ExecutionOutcome execute(std::span<const FmqRequestDatum> packet);
  Outcome read(std::span<const FmqRequestDatum> packet);
  Outcome resolve();
  Outcome fetch(std::span<const int32_t> slots);

  const std::shared_ptr<IBurst> burst_;
  const MemorySource source_;
  SlotTable slots_;
  std::vector<FmqRequestDatum> last_; ///< the packet that `received_` was read from; empty: none
  ReceivedRequest received_;
  std::vector<int64_t> identifiers_;
  std::vector<FmqResultDatum> result_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H
