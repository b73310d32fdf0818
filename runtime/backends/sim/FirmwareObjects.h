//===- FirmwareObjects.h - Contexts, rings and mappings of the firmware --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends the back end's contexts, rings and mappings to the firmware: one message each, and its answer. A reset removes
// all of them from the firmware. Any thread; each call waits for the firmware and returns DeviceLost if it does not
// answer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_FIRMWAREOBJECTS_H
#define AVOCET_RUNTIME_BACKENDS_SIM_FIRMWAREOBJECTS_H

#include "ContextRing.h"
#include "FirmwareChannel.h"

namespace avocet::runtime {

/// Memory of this process that a context accesses at a device address.
struct MappedRange {
  ContextHandle context;
  uint64_t address;
  std::span<uint8_t> memory;
  Access access;
};

class FirmwareObjects {
public:
  explicit FirmwareObjects(FirmwareChannel &channel) : channel_(channel) {}

  Status createContext(const ContextRing &ring);
  /// Removes its ring and its mappings, too.
  Status destroyContext(const ContextRing &ring);
  /// Maps the ring's memory, too.
  Status createRing(ContextRing &ring);

  /// `ring`: the ring of the range's context.
  Status map(const ContextRing &ring, const MappedRange &range);
  Status unmap(const ContextRing &ring, const MappedRange &range);

private:
  FirmwareChannel &channel_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_FIRMWAREOBJECTS_H
