//===- TotalsAnswer.cpp - Totals over all clients, and who may see them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TotalsAnswer.h"

#include "avocet/hal/types/LayerTimes.h"
#include "avocet/hal/types/Result.h"

#include <algorithm>

namespace avocet::hal {

bool maySeeTotals(const PeerCredentials &peer, uint32_t serviceUser) {
  constexpr uint32_t kRoot = 0;
  return peer.user == kRoot || peer.user == serviceUser;
}

ServiceTotals totalsOf(const SharedCounters &counters, const std::vector<ServedDevice> &devices) {
  ServiceTotals totals{counters.clientsNow,
                       counters.clientsEver,
                       counters.callsEver,
                       counters.objectsNow,
                       counters.burstsNow,
                       counters.descriptorsNow,
                       {}};
  for (const ServedDevice &device : devices) {
    const DriverCounters driver = device.counters ? device.counters() : DriverCounters();
    totals.devices.push_back({device.name, driver.clients, driver.preparedModels, driver.buffers, driver.executions,
                              driver.memoryBytes, driver.hostBytesCopied, driver.compilerCrashes,
                              driver.compilerRestarts, driver.executionsEver, driver.executionsFailed,
                              driver.compilerRuns, driver.compilerNanoseconds, driver.cacheHits, driver.cacheMisses,
                              driver.power});
  }
  std::ranges::copy(counters.callErrors, totals.callErrors.begin());
  totals.compilerErrors = compilerErrors();
  LayerTimes::enable();
  const LayerTimes times = LayerTimes::sum();
  totals.driverNanoseconds = static_cast<uint64_t>(times.driver.count());
  totals.deviceNanoseconds = static_cast<uint64_t>(times.device.count());
  totals.simulatedNanoseconds = static_cast<uint64_t>(times.simulated.count());
  return totals;
}

} // namespace avocet::hal
