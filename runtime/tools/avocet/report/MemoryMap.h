//===- MemoryMap.h - On-chip memory over time -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_MEMORYMAP_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_MEMORYMAP_H

#include "IrText.h"
#include "RunTimeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::tool {

/// How the steps of the memory plan were matched with the cycles of the run.
enum class StepMatch {
  Exact,     ///< each step is one command
  ByLayer,   ///< the compiler divided commands; exact at the borders of layers
  Estimated, ///< from the order of the commands only
};
std::string_view toString(StepMatch match);

/// A buffer of the memory plan: bytes [address, address + bytes) of a region.
struct MappedBuffer {
  std::string name;
  uint32_t region = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t firstStep = 0, lastStep = 0;
  uint64_t startCycle = 0, endCycle = 0; ///< of its first and last command
  int32_t layer = kWithoutLayer;         ///< the first one that uses it
};

struct MemoryMap {
  std::vector<MappedBuffer> buffers;
  StepMatch match = StepMatch::Estimated;
};

/// `allocated`: the IR after the allocation, or nullptr if it is not known.
MemoryMap makeMemoryMap(const cache::ModelCache &model, const RunTimeline &timeline, const IrText *allocated,
                        const LayersByName &layers);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_MEMORYMAP_H
