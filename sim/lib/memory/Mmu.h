//===- Mmu.h - The address space of a context -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One context's address space: page-aligned ranges of device addresses with their system addresses and permissions. All
// accesses of firmware and engines for a context use it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_MEMORY_MMU_H
#define AVOCET_SIM_LIB_MEMORY_MMU_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Mailbox.h"

#include <cstdint>
#include <map>
#include <span>

namespace avocet::sim {

/// The ranges of system addresses that the host has attached. This is the device side of the bus: it maps an address to
/// host memory, or finds that none is attached.
class Bus {
public:
  Status attach(uint64_t address, std::span<uint8_t> memory);
  Status detach(uint64_t address);

  /// The memory from `address` to the end of its range, `bytes` at most; empty if nothing is attached there.
  std::span<uint8_t> find(uint64_t address, uint64_t bytes) const;

private:
  std::map<uint64_t, std::span<uint8_t>> ranges_; ///< by first address; never overlap
};

class Mmu {
public:
  explicit Mmu(const Bus &bus) : bus_(bus) {}

  static constexpr size_t kMaxMappings = 1 << 16;

  firmware::ReplyCode map(const firmware::MapRequest &request);
  firmware::ReplyCode unmap(const firmware::MapRequest &request);

  /// The host memory at device address `address` that is contiguous and allows `access` (bits of firmware::access),
  /// `bytes` at most; empty: page fault at `address`.
  std::span<uint8_t> find(uint64_t address, uint64_t bytes, uint32_t access) const;

  /// Copies out of, or into, the address space. False if any byte is not mapped; `faultAddress` is then the first one,
  /// and the bytes before it may have been copied.
  bool read(uint64_t address, std::span<uint8_t> to, uint64_t &faultAddress) const;
  bool write(uint64_t address, std::span<const uint8_t> from, uint64_t &faultAddress) const;

  /// Changes with every change of the mappings: pointers found before may be stale.
  uint64_t generation() const { return generation_; }

private:
  struct Mapping {
    uint64_t bytes;
    uint64_t systemAddress;
    uint32_t access;
  };
  bool overlaps(uint64_t begin, uint64_t end) const;

  const Bus &bus_;
  std::map<uint64_t, Mapping> mappings_; ///< by device address; never overlap
  uint64_t generation_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_MEMORY_MMU_H
