//===- DmaTime.h - How long a transfer takes --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_DMATIME_H
#define AVOCET_COMPILER_LIB_YIELD_DMATIME_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::compiler {

struct DmaTime {
  uint64_t channelCycles = 0; ///< at the rate of one channel, without latency
  uint64_t portCycles = 0;    ///< of the off-chip port, which all channels share
  uint64_t latency = 0;       ///< from the first request to the first byte, and after the last byte of a store
};

/// The time of a transfer on an idle device.
DmaTime dmaTime(const firmware::Target &target, const firmware::DmaCommand &command);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_DMATIME_H
