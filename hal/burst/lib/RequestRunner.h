//===- RequestRunner.h - From request packet to result packet -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H
#define AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H

#include "SlotTable.h"
#include "avocet/hal/BurstPacket.h"
#include "avocet/hal/BurstServer.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// What a burst's server does with a packet. A packet that is equal to the last one is not read again. One thread, but
/// for freeMemory().
class RequestRunner {
public:
  RequestRunner(std::shared_ptr<IBurst> burst, MemorySource source, size_t maxSlots)
      : burst_(std::move(burst)), source_(std::move(source)), slots_(maxSlots) {}

  /// Answers always; the packet is valid until the next call. At most `capacity` elements (at least 2): an answer that
  /// needs more is GeneralFailure.
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
