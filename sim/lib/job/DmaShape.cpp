//===- DmaShape.cpp - The runs of a DMA command -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/DmaShape.h"

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

} // namespace avocet::sim
