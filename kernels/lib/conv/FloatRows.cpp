//===- FloatRows.cpp - A few float rows on vectors ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/FloatTile.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/FloatRows.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/FloatWeights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

/// Sums of numRows pixels and numVectors vectors of channels, in registers.
template <size_t numRows, size_t numVectors> struct RowSums {
  VF32 sums[numRows][numVectors];

  HWY_INLINE void clear() {
    for (auto &row : sums)
      for (VF32 &sum : row)
        sum = hn::Zero(DF32());
  }

  /// Adds products [first, first + count) of a chunk in their order; count is at most kFloatProducts.
  HWY_INLINE void add(const FloatRows &rows, uint32_t chunk, const FloatChunk *chunks, uint32_t first, uint32_t count) {
    VF32 weights[numVectors][kFloatProducts];
    for (size_t v = 0; v < numVectors; ++v)
      chunks[v].load(first, weights[v]);
    for (uint32_t i = 0; i < count; ++i)
      for (size_t r = 0; r < numRows; ++r) {
        const auto input = hn::Set(DF32(), rows.rows[r][chunk + first + i]);
        for (size_t v = 0; v < numVectors; ++v)
          sums[r][v] = hn::Add(sums[r][v], hn::Mul(input, weights[v][i]));
      }
  }

  HWY_INLINE void addChunk(const FloatRows &rows, uint32_t chunk, const FloatChunk *chunks) {
    const uint32_t length = std::min(firmware::kChunkProducts, rows.layout.products() - chunk);
    uint32_t product = 0;
    for (; product + kFloatProducts <= length; product += kFloatProducts)
      add(rows, chunk, chunks, product, kFloatProducts);
    if (product < length)
      add(rows, chunk, chunks, product, length - product);
  }

  HWY_INLINE void store(const FloatRows &rows, uint32_t channel) const {
    for (size_t v = 0; v < numVectors; ++v) {
      const size_t first = channel + v * kFloatLanes;
      const FloatVectors<> stage(rows.stage, first);
      for (size_t r = 0; r < numRows; ++r)
        storeSome(stage.apply(sums[r][v]), DF32(), rows.outputs[r] + first,
                  std::min<size_t>(kFloatLanes, rows.layout.outputChannels() - first));
    }
  }
};

template <size_t numRows, size_t numVectors>
HWY_NOINLINE void multiplyVectors(const FloatRows &rows, uint32_t channel) {
  RowSums<numRows, numVectors> sums;
  FloatChunk chunks[numVectors];
  sums.clear();
  for (uint32_t chunk = 0; chunk < rows.layout.products(); chunk += firmware::kChunkProducts) {
    for (size_t v = 0; v < numVectors; ++v)
      chunks[v].open(rows.weights, rows.layout, channel + static_cast<uint32_t>(v * kFloatLanes), chunk);
    sums.addChunk(rows, chunk, chunks);
  }
  sums.store(rows, channel);
}

template <size_t numRows> void multiplyChannels(const FloatRows &rows) {
  const auto lanes = static_cast<uint32_t>(kFloatLanes);
  uint32_t channel = 0;
  // Two sums at a time hide the latency of the additions.
  for (; channel + lanes < rows.layout.outputChannels(); channel += 2 * lanes)
    multiplyVectors<numRows, 2>(rows, channel);
  if (channel < rows.layout.outputChannels())
    multiplyVectors<numRows, 1>(rows, channel);
}

bool multiplyFewRows(const FloatRows &rows) {
  using Multiply = void (*)(const FloatRows &);
  constexpr Multiply kByCount[] = {multiplyChannels<1>, multiplyChannels<2>, multiplyChannels<3>, multiplyChannels<4>};
  static_assert(std::size(kByCount) == kFewFloatRows);
  kByCount[rows.count - 1](rows);
  return true;
}

#else

bool multiplyFewRows(const FloatRows &) { return false; }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(multiplyFewRows);

bool multiplyFloatRows(const FloatRows &rows) { return HWY_DYNAMIC_DISPATCH(multiplyFewRows)(rows); }

} // namespace avocet::kernels

#endif // HWY_ONCE
