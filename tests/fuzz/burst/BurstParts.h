//===- BurstParts.h - Parts of the burst's fuzz target ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_BURST_BURSTPARTS_H
#define AVOCET_TESTS_FUZZ_BURST_BURSTPARTS_H

#include "../queue/Script.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/queue/MessageQueue.h"

#include <cstdlib>

namespace avocet::hal::fuzz {

inline void require(bool condition) {
  if (!condition)
    std::abort();
}

using RequestQueue = MessageQueue<FmqRequestDatum>;
using ResultQueue = MessageQueue<FmqResultDatum>;

/// A pool of 64 bytes.
SharedMemory makeMemory();

/// Overwrites up to 8 bytes at the start of one part of a queue's shared memory, as a hostile peer can.
void tamper(const QueueDescriptor &descriptor, Script &script);

void fuzzPackets(Script &script);
void fuzzClient(Script &script);
void fuzzService(Script &script);

} // namespace avocet::hal::fuzz

#endif // AVOCET_TESTS_FUZZ_BURST_BURSTPARTS_H
