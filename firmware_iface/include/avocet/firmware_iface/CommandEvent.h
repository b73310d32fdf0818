//===- CommandEvent.h - A command that has ended -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_COMMANDEVENT_H
#define AVOCET_FIRMWARE_IFACE_COMMANDEVENT_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace avocet::firmware {

/// A command that has ended without a fault, and the state of the device after it. Valid during a call only.
struct CommandEvent {
  Engine engine;
  uint32_t command = 0; ///< index in its stream
  uint32_t layer = 0;   ///< kNoLayer: of no layer
  std::string_view operation;
  uint64_t cycle = 0; ///< of the job, when the command ended
  std::span<const uint8_t> sram;
  std::span<const uint64_t> semaphores; ///< counts, by number
};

/// Called by a simulated device, by one thread at a time; the device's time stands still meanwhile.
using CommandObserver = std::function<void(const CommandEvent &)>;

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_COMMANDEVENT_H
