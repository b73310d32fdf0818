//===- CompilerTurns.h - Turns of one client at the compiler ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_COMPILERTURNS_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_COMPILERTURNS_H

#include "avocet/base/FifoSemaphore.h"
#include "avocet/hal/types/Result.h"
#include "client/FairSemaphore.h"
#include "execution/Deadline.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace avocet::hal {

/// Admits a number of threads of one client at a time, in order of arrival. An admitted thread then also waits for the
/// gate of all clients. Thread-safe.
class CompilerTurns {
public:
  /// `all` (null: none) must outlive the turns; `owner`: the client's number there.
  explicit CompilerTurns(uint32_t places, FairSemaphore *all = nullptr, uint32_t owner = 0)
      : all_(all), owner_(owner), own_(places) {}

  /// A place inside, released by the destructor.
  class Turn {
  private:
    friend class CompilerTurns;
    explicit Turn(FifoSemaphore::Place place) : place_(std::move(place)) {}
    FifoSemaphore::Place place_;
    std::optional<FairSemaphore::Turn> all_; ///< released before the own place
  };

  /// Waits for a place. MissedDeadlineTransient: the deadline passed first. The object must outlive the turn.
  Result<Turn> enter(const CallLimit &limit);

private:
  FairSemaphore *const all_;
  const uint32_t owner_;
  FifoSemaphore own_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_COMPILERTURNS_H
