//===- JobMemory.cpp - The memory that a job may access ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobMemory.h"

#include "avocet/firmware_iface/Mailbox.h"
#include "job/DmaShape.h"

#include <algorithm>
#include <cstring>

namespace avocet::sim {

using namespace firmware;

JobFault JobMemory::checkRegions(const std::vector<ByteRange> &ranges) const {
  for (const ByteRange &range : ranges) {
    if (range.region == kSramRegion)
      continue;
    if (range.region > regions_.size())
      return accessFault(FaultCode::RegionUnbound, range.region, range.begin);
    const RegionEntry &region = regions_[range.region - 1];
    if (range.end > region.bytes)
      return accessFault(FaultCode::RegionOutOfBounds, range.region, std::max(range.begin, region.bytes));
    if (range.write && (region.access & access::kWrite) == 0)
      return accessFault(FaultCode::RegionReadOnly, range.region, range.begin);
    if (!range.write && (region.access & access::kRead) == 0)
      return accessFault(FaultCode::RegionUnbound, range.region, range.begin);
  }
  return {};
}

std::span<uint8_t> JobMemory::find(uint32_t region, uint64_t offset, uint64_t bytes, uint32_t access) const {
  if (region == kSramRegion)
    return sram_.subspan(offset, bytes);
  return mmu_.find(regions_[region - 1].address + offset, bytes, access);
}

JobFault JobMemory::readByte(uint32_t region, uint64_t offset, uint8_t &value) const {
  if (JobFault fault = checkRegions({{region, offset, offset + (offset != UINT64_MAX), false}}))
    return fault;
  std::span<const uint8_t> byte = find(region, offset, 1, access::kRead);
  if (byte.empty())
    return pageFault(region, offset);
  value = byte[0];
  return {};
}

JobFault JobMemory::pageFault(uint32_t region, uint64_t offset) const {
  return accessFault(FaultCode::PageFault, region, regions_[region - 1].address + offset);
}

JobFault JobMemory::checkMapped(const std::vector<ByteRange> &ranges) const {
  for (const ByteRange &range : ranges) {
    if (range.region == kSramRegion)
      continue;
    for (uint64_t offset = range.begin; offset < range.end;) {
      const size_t bytes =
          find(range.region, offset, range.end - offset, range.write ? access::kWrite : access::kRead).size();
      if (bytes == 0)
        return pageFault(range.region, offset);
      offset += bytes;
    }
  }
  return {};
}

JobFault JobMemory::moveRun(const DmaCommand &dma, uint64_t from, uint64_t to) const {
  for (uint64_t left = dma.runBytes; left != 0;) {
    std::span<uint8_t> target = find(dma.destination.region, to, left, access::kWrite);
    if (target.empty())
      return pageFault(dma.destination.region, to);
    size_t bytes = target.size();
    if (dma.kind == DmaKind::Fill) {
      std::memset(target.data(), static_cast<uint8_t>(dma.fillValue), bytes);
    } else {
      std::span<uint8_t> source = find(dma.source.region, from, bytes, access::kRead);
      if (source.empty())
        return pageFault(dma.source.region, from);
      bytes = source.size();
      std::memmove(target.data(), source.data(), bytes);
    }
    left -= bytes, from += bytes, to += bytes;
  }
  return {};
}

JobFault JobMemory::transfer(const DmaCommand &command) const {
  const DmaCommand dma = folded(command);
  const DmaEnd &source = dma.source, &destination = dma.destination;
  if (bytesOf(dma) == 0)
    return {};
  for (uint64_t k = 0; k < dma.count2; ++k)
    for (uint64_t j = 0; j < dma.count1; ++j)
      for (uint64_t i = 0; i < dma.count0; ++i) {
        const uint64_t from = source.offset + k * source.stride2 + j * source.stride1 + i * source.stride0;
        const uint64_t to =
            destination.offset + k * destination.stride2 + j * destination.stride1 + i * destination.stride0;
        if (JobFault fault = moveRun(dma, from, to))
          return fault;
      }
  return {};
}

} // namespace avocet::sim
