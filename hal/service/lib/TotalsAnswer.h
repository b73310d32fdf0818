//===- TotalsAnswer.h - Totals over all clients, and who may see them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H
#define AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H

#include "Objects.h"

#include "avocet/hal/Totals.h"

namespace avocet::hal {

/// Root, and the user that the service runs as: they may look into its process anyway. To others totals would tell what
/// other clients do.
bool maySeeTotals(const PeerCredentials &peer, uint32_t serviceUser);

ServiceTotals totalsOf(const SharedCounters &counters, const std::vector<ServedDevice> &devices);

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H
