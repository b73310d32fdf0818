//===- ChannelRate.cpp - Rate of one DMA channel ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/ChannelRate.h"

namespace avocet::kernels {

using namespace firmware;

static Rate channelRate(const Target &target, uint64_t latency) {
  const Rate port = target.dram().bandwidth;
  const uint64_t inFlight = target.dma().outstandingBytes;
  return inFlight * port.cycles < port.count * latency ? Rate{inFlight, latency} : port;
}

Rate loadRate(const Target &target) { return channelRate(target, target.dram().readLatencyCycles); }

Rate storeRate(const Target &target) { return channelRate(target, target.dram().writeLatencyCycles); }

} // namespace avocet::kernels
