//===- DmaShape.cpp - The runs of a DMA command -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/DmaShape.h"

#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

static uint64_t saturatingMul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t bytesOf(const DmaCommand &dma) {
  return saturatingMul(saturatingMul(dma.runBytes, dma.count0), saturatingMul(dma.count1, dma.count2));
}

/// Moves the outer counts one place inwards and drops the innermost.
static void dropInnermost(DmaCommand &dma) {
  for (DmaEnd *end : {&dma.source, &dma.destination}) {
    end->stride0 = end->stride1;
    end->stride1 = end->stride2;
  }
  dma.count0 = dma.count1;
  dma.count1 = dma.count2;
  dma.count2 = 1;
}

/// Merges the innermost runs into one run, if they are adjacent.
static bool foldInnermost(DmaCommand &dma) {
  const uint64_t bytes = saturatingMul(dma.runBytes, dma.count0);
  const bool touches =
      dma.destination.stride0 == dma.runBytes && (dma.kind == DmaKind::Fill || dma.source.stride0 == dma.runBytes);
  if (bytes > UINT32_MAX || (dma.count0 != 1 && !touches))
    return false;
  dma.runBytes = static_cast<uint32_t>(bytes);
  dropInnermost(dma);
  return true;
}

DmaCommand folded(DmaCommand dma) {
  for (int level = 0; level < 3 && foldInnermost(dma); ++level)
    ;
  return dma;
}

namespace {

/// An axis of a transfer: bytes of a run, runs, rows of runs, planes.
struct Axis {
  uint32_t DmaCommand::*count;
  uint32_t DmaEnd::*stride; ///< null: single bytes
  uint64_t granule;
};

void advance(DmaEnd &end, const Axis &axis, uint64_t steps) {
  end.offset += steps * (axis.stride ? end.*axis.stride : 1);
}

} // namespace

std::vector<DmaCommand> sharesOf(const DmaCommand &command, uint32_t most) {
  constexpr uint64_t kLine = 64;
  constexpr Axis kAxes[] = {{&DmaCommand::count2, &DmaEnd::stride2, 1},
                            {&DmaCommand::count1, &DmaEnd::stride1, 1},
                            {&DmaCommand::count0, &DmaEnd::stride0, 1},
                            {&DmaCommand::runBytes, nullptr, kLine}};
  const DmaCommand dma = folded(command);
  if (dma.kind == DmaKind::Copy && dma.source.region == dma.destination.region)
    return {}; // a hostile one may overlap
  for (const Axis &axis : kAxes) {
    const uint64_t extent = dma.*axis.count, units = divideUp(extent, axis.granule);
    const uint64_t shares = std::min<uint64_t>(units, most);
    std::vector<DmaCommand> result;
    for (uint64_t share = 0, begin = 0; shares > 1 && share < shares; ++share) {
      const uint64_t end = std::min(units * (share + 1) / shares * axis.granule, extent);
      result.push_back(dma);
      result.back().*axis.count = static_cast<uint32_t>(end - begin);
      advance(result.back().source, axis, begin);
      advance(result.back().destination, axis, begin);
      begin = end;
    }
    if (!result.empty())
      return result;
  }
  return {};
}

} // namespace avocet::sim
