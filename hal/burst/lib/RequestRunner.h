//===- RequestRunner.h - From request packet to result packet -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H
#define AVOCET_HAL_BURST_LIB_REQUESTRUNNER_H

#include "SlotTable.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/burst/BurstServer.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

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
