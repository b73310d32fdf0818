//===- Totals.h - Reads the counters of a driver service --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_TOTALS_H
#define AVOCET_HAL_IPC_TOTALS_H

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/wire/ServiceTotals.h"

#include <string>

namespace avocet::hal {

/// Reads the totals of the service at a socket. Errors as listDevices(); DeviceUnavailable: the service does not give
/// totals to the user of this process. The service reserves places for this query, so it is answered even when all
/// clients' places are taken.
Result<ServiceTotals> readTotals(const std::string &socketPath, std::chrono::milliseconds patience = kConnectPatience);

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_TOTALS_H
