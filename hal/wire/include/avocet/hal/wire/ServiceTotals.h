//===- ServiceTotals.h - What a driver service counts -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Totals over all clients of a service, for its operator. Clients must not learn of each other, so a service gives
// totals only to root and to the user that it runs as; both can inspect its process anyway.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_SERVICETOTALS_H
#define AVOCET_HAL_WIRE_SERVICETOTALS_H

#include "avocet/hal/types/DevicePower.h"
#include "avocet/hal/types/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal {

/// The codes of the HAL. A service answers no others.
inline constexpr size_t kNumErrorCodes = static_cast<size_t>(ErrorStatus::ResourceExhaustedPersistent) + 1;

/// Of one device.
struct DeviceTotals {
  std::string device;
  uint64_t clients = 0; ///< current value, as the next four
  uint64_t preparedModels = 0;
  uint64_t buffers = 0;         ///< driver-allocated
  uint64_t executions = 0;      ///< launched and not ended
  uint64_t memoryBytes = 0;     ///< that clients are charged for
  uint64_t hostBytesCopied = 0; ///< since the device was opened

  /// Since the service started, for all devices together: compilations whose process ended without an answer, and
  /// restarts of the process that these are forked from.
  uint64_t compilerCrashes = 0;
  uint64_t compilerRestarts = 0;

  uint64_t executionsEver = 0; ///< ended, since the device was opened, as all below
  uint64_t executionsFailed = 0;
  uint64_t compilerRuns = 0; ///< compilations, for preparations and for shapes of executions, and support queries
  uint64_t compilerNanoseconds = 0;
  uint64_t cacheHits = 0; ///< preparations whose compilation was in the driver's own cache or in the client's files
  uint64_t cacheMisses = 0;
  DevicePower power;
};

struct ServiceTotals {
  uint64_t clientsNow = 0; ///< connections, including the one that queries
  uint64_t clientsEver = 0;
  uint64_t callsEver = 0;
  uint64_t objectsNow = 0; ///< of all kinds
  uint64_t burstsNow = 0;
  uint64_t descriptorsNow = 0; ///< that clients sent
  std::vector<DeviceTotals> devices;

  /// Nanoseconds of executions on all devices since the first query of totals, by the host's clock: in the driver, and
  /// waiting for the device; and by the device's clock. See avocet/hal/types/LayerTimes.h.
  uint64_t driverNanoseconds = 0;
  uint64_t deviceNanoseconds = 0;
  uint64_t simulatedNanoseconds = 0;

  /// Answers with an error since the service started, by the number of the ErrorStatus; 0 is unused.
  std::array<uint64_t, kNumErrorCodes> callErrors{};

  /// Errors of the compiler itself since the service started. See avocet/hal/types/Result.h.
  uint64_t compilerErrors = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_SERVICETOTALS_H
