//===- Observation.h - What a simulated command has written -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_OBSERVATION_H
#define AVOCET_FIRMWARE_IFACE_OBSERVATION_H

#include "avocet/firmware_iface/Command.h"

#include <functional>
#include <span>

namespace avocet::firmware {

/// A command whose results have just been written, and on-chip memory with them. Valid during the call only.
struct CommandObservation {
  Engine engine;
  uint32_t command; ///< index in its stream
  const Command &content;
  std::span<const uint8_t> sram;
};
using CommandObserver = std::function<void(const CommandObservation &)>;

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_OBSERVATION_H
