//===- BroadcastLoop.h - Pairs of elements under broadcasting ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_BINARY_BROADCASTLOOP_H
#define AVOCET_KERNELS_LIB_BINARY_BROADCASTLOOP_H

#include "avocet/kernels/dsp/Binary.h"
#include "common/Checks.h"
#include "common/Elements.h"
#include "common/PairRows.h"

#include <functional>
#include <optional>

namespace avocet::kernels {

/// The maps of two inputs and an output. The operands of a checked command.
struct BinaryMaps {
  const firmware::FeatureMap &a, &b, &output;
  std::span<uint8_t> sram;
};

/// Ok if every element that the loop reads and writes belongs to its map.
Status checkBroadcast(const BroadcastShape &shape, const firmware::FeatureMap &a, const firmware::FeatureMap &b,
                      const firmware::FeatureMap &output);

/// Position in a row of the output, for all axes except the last one, and the offsets of the matching elements of the
/// inputs.
class BroadcastCursor {
public:
  explicit BroadcastCursor(const BroadcastShape &shape) : shape_(shape) {}

  uint64_t offsetA() const { return offsetA_; }
  uint64_t offsetB() const { return offsetB_; }

  /// Moves to the next run along the last axis.
  void advance() {
    for (uint32_t axis = shape_.rank - 1; axis-- > 0;) {
      offsetA_ += shape_.stridesA[axis];
      offsetB_ += shape_.stridesB[axis];
      if (++position_[axis] < shape_.extents[axis])
        return;
      offsetA_ -= uint64_t(shape_.stridesA[axis]) * shape_.extents[axis];
      offsetB_ -= uint64_t(shape_.stridesB[axis]) * shape_.extents[axis];
      position_[axis] = 0;
    }
  }

private:
  const BroadcastShape &shape_;
  std::array<uint32_t, BroadcastShape::kMaxAxes> position_{};
  uint64_t offsetA_ = 0, offsetB_ = 0;
};

/// Calls f(a, stepA, b, stepB, output, count) with each run of a shape, whose elements are stepA and stepB apart.
template <typename In, typename Out, typename F>
void forEachShapedRun(const BroadcastShape &shape, const BinaryMaps &maps, F &&f) {
  FeatureMapView<In> a(maps.a, maps.sram), b(maps.b, maps.sram);
  FeatureMapView<Out> output(maps.output, maps.sram);
  const uint32_t last = shape.rank - 1, run = shape.extents[last];
  for (uint32_t y = 0; y < output.height(); ++y) {
    const In *rowA = a.row(a.height() == 1 ? 0 : y), *rowB = b.row(b.height() == 1 ? 0 : y);
    BroadcastCursor cursor(shape);
    for (size_t first = 0; first < output.channels(); first += run, cursor.advance())
      f(rowA + cursor.offsetA(), shape.stridesA[last], rowB + cursor.offsetB(), shape.stridesB[last],
        output.row(y) + first, run);
  }
}

/// The distance of the elements of an input along a whole row of the output; none if they are not equally spaced.
inline std::optional<uint32_t> stepAlongRow(const firmware::FeatureMap &input, const firmware::FeatureMap &output) {
  if (input.width == 1 && input.channels == 1)
    return 0;
  const bool same = input.width == output.width && input.channels == output.channels && hasDenseRows(input);
  return same ? std::optional<uint32_t>(1) : std::nullopt;
}

/// Whether one loop passes over a row of maps with extents of 1 or the output's.
inline bool hasWholeRows(const firmware::FeatureMap &a, const firmware::FeatureMap &b,
                         const firmware::FeatureMap &output) {
  return stepAlongRow(a, output) && stepAlongRow(b, output) && hasDenseRows(output);
}

/// The same for maps with extents of 1 or the output's.
template <typename In, typename Out, typename F> void forEachMapRun(const BinaryMaps &maps, F &&f) {
  FeatureMapView<In> a(maps.a, maps.sram), b(maps.b, maps.sram);
  FeatureMapView<Out> output(maps.output, maps.sram);
  auto pixel = [](const FeatureMapView<In> &view, uint32_t y, uint32_t x) {
    return view.pixel(view.height() == 1 ? 0 : y, view.width() == 1 ? 0 : x);
  };
  const bool wholeRows = hasWholeRows(maps.a, maps.b, maps.output);
  const uint32_t stepA = wholeRows ? *stepAlongRow(maps.a, maps.output) : a.channels() == 1 ? 0 : 1;
  const uint32_t stepB = wholeRows ? *stepAlongRow(maps.b, maps.output) : b.channels() == 1 ? 0 : 1;
  const uint32_t runs = wholeRows ? 1 : output.width();
  const size_t count = size_t(output.channels()) * (wholeRows ? output.width() : 1);
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t x = 0; x < runs; ++x)
      f(pixel(a, y, x), stepA, pixel(b, y, x), stepB, output.pixel(y, x), count);
}

template <typename In, typename Out, typename F>
void forEachPairRun(const BroadcastShape &shape, const BinaryMaps &maps, F &&f) {
  if (shape.rank == 0)
    return forEachMapRun<In, Out>(maps, f);
  forEachShapedRun<In, Out>(shape, maps, f);
}

/// Stores for a run of elements what a function of pairs gives.
template <typename In, typename Out>
using PairRun = std::function<void(SpacedRow<Computed<In>> a, SpacedRow<Computed<In>> b, Computed<Out> *to, size_t)>;

/// Calls `compute` with all runs of elements, in the computing types. A template of the types alone: there are many
/// functions of pairs, and each needs only its inner loops.
template <typename In, typename Out>
void forEachComputedRun(const BroadcastShape &shape, const BinaryMaps &maps, const PairRun<In, Out> &compute) {
  PairRows<In, Out> rows;
  forEachPairRun<In, Out>(shape, maps,
                          [&](const In *a, uint64_t stepA, const In *b, uint64_t stepB, Out *to, size_t count) {
                            rows.computeRuns({a, stepA}, {b, stepB}, to, count, compute);
                          });
}

/// Stores f(a, b) for each pair of elements, in the computing types.
template <typename In, typename Out, typename F>
void forEachPair(const BroadcastShape &shape, const BinaryMaps &maps, F &&f) {
  forEachComputedRun<In, Out>(shape, maps,
                              [&f](SpacedRow<Computed<In>> a, SpacedRow<Computed<In>> b, Computed<Out> *to,
                                   size_t count) { computePairs(a, b, to, count, f); });
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_BROADCASTLOOP_H
