//===- ChannelRate.h - Rate of one DMA channel ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DMA channel waits for an answer when it has dma.outstandingBytes in flight. So it moves at most that many bytes in
// the latency of off-chip memory, however fast the port is.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_CHANNELRATE_H
#define AVOCET_KERNELS_CHANNELRATE_H

#include "avocet/firmware_iface/Target.h"

namespace avocet::kernels {

/// Bytes that one channel loads from off-chip memory, or stores to it, while no other channel uses the port.
firmware::Rate loadRate(const firmware::Target &target);
firmware::Rate storeRate(const firmware::Target &target);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_CHANNELRATE_H
