//===- JobMemory.h - The memory that a job may access -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On-chip memory and the job's regions, each access checked: first against the region's bounds and access, then against
// the context's mappings.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBMEMORY_H
#define AVOCET_SIM_LIB_JOB_JOBMEMORY_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/JobRing.h"
#include "job/JobFault.h"
#include "memory/Mmu.h"

#include <span>
#include <vector>

namespace avocet::sim {

class JobMemory {
public:
  /// `sram` and `mmu` must live as long as the job.
  JobMemory(std::span<uint8_t> sram, const Mmu &mmu, std::vector<firmware::RegionEntry> regions)
      : sram_(sram), mmu_(mmu), regions_(std::move(regions)) {}

  std::span<uint8_t> sram() const { return sram_; }

  /// Whether the regions of a command are bound, allow the access and hold the ranges. SRAM ranges are ignored.
  JobFault checkRegions(const std::vector<firmware::ByteRange> &ranges) const;

  /// Whether the context has mapped the region bytes of a command; for runs that move no data.
  JobFault checkMapped(const std::vector<firmware::ByteRange> &ranges) const;

  /// Reads one byte of a region for the control program.
  JobFault readByte(uint32_t region, uint64_t offset, uint8_t &value) const;

  /// Performs a copy or fill. Requires checked ranges; a page fault stops it half-way.
  JobFault transfer(const firmware::DmaCommand &dma) const;

private:
  JobFault moveRun(const firmware::DmaCommand &dma, uint64_t from, uint64_t to) const;
  std::span<uint8_t> find(uint32_t region, uint64_t offset, uint64_t bytes, uint32_t access) const;
  JobFault pageFault(uint32_t region, uint64_t offset) const;

  std::span<uint8_t> sram_;
  const Mmu &mmu_;
  std::vector<firmware::RegionEntry> regions_; ///< entry n is region n + 1; address + bytes does not wrap
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBMEMORY_H
