//===- Bus.h - System memory as the device reaches it -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges of system addresses that the host has attached. This is the device side of the bus: it maps an address to
// host memory, or finds that none is attached.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_MEMORY_BUS_H
#define AVOCET_SIM_LIB_MEMORY_BUS_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <map>
#include <span>

namespace avocet::sim {

class Bus {
public:
  Status attach(uint64_t address, std::span<uint8_t> memory);
  Status detach(uint64_t address);

  /// The memory from `address` to the end of its range, `bytes` at most; empty if nothing is attached there.
  std::span<uint8_t> find(uint64_t address, uint64_t bytes) const;

private:
  std::map<uint64_t, std::span<uint8_t>> ranges_; ///< by first address; never overlap
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_MEMORY_BUS_H
