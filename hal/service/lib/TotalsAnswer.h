//===- TotalsAnswer.h - Totals over all clients, and who may see them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H
#define AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H

#include "Objects.h"

#include "avocet/hal/wire/ServiceTotals.h"

namespace avocet::hal {

/// True for root and the user of the service, who can inspect its process anyway. To others, totals would reveal the
/// activity of other clients.
bool maySeeTotals(const PeerCredentials &peer, uint32_t serviceUser);

ServiceTotals totalsOf(const SharedCounters &counters, const std::vector<ServedDevice> &devices);

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_TOTALSANSWER_H
