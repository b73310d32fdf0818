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
#include "common/FeatureMapView.h"

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

/// Calls f for one row of any shape.
template <typename In, typename Out, typename F>
void forEachPairOfRow(const BroadcastShape &shape, const In *a, const In *b, std::span<Out> output, F &&f) {
  uint32_t last = shape.rank - 1, run = shape.extents[last];
  BroadcastCursor cursor(shape);
  for (size_t first = 0; first < output.size(); first += run, cursor.advance())
    for (uint32_t i = 0; i < run; ++i)
      output[first + i] = f(a[cursor.offsetA() + uint64_t(i) * shape.stridesA[last]],
                            b[cursor.offsetB() + uint64_t(i) * shape.stridesB[last]]);
}

template <typename In, typename Out, typename F>
void forEachShapedPair(const BroadcastShape &shape, const BinaryMaps &maps, F &&f) {
  FeatureMapView<In> a(maps.a, maps.sram), b(maps.b, maps.sram);
  FeatureMapView<Out> output(maps.output, maps.sram);
  for (uint32_t y = 0; y < output.height(); ++y)
    forEachPairOfRow(shape, a.row(a.height() == 1 ? 0 : y), b.row(b.height() == 1 ? 0 : y),
                     std::span<Out>(output.row(y), output.channels()), f);
}

/// Calls f for feature maps whose extents are the output's or 1.
template <typename In, typename Out, typename F> void forEachMapPair(const BinaryMaps &maps, F &&f) {
  FeatureMapView<In> a(maps.a, maps.sram), b(maps.b, maps.sram);
  FeatureMapView<Out> output(maps.output, maps.sram);
  auto pixel = [](const FeatureMapView<In> &view, uint32_t y, uint32_t x) {
    return view.pixel(view.height() == 1 ? 0 : y, view.width() == 1 ? 0 : x);
  };
  uint32_t stepA = a.channels() == 1 ? 0 : 1, stepB = b.channels() == 1 ? 0 : 1;
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t x = 0; x < output.width(); ++x) {
      const In *inA = pixel(a, y, x), *inB = pixel(b, y, x);
      Out *out = output.pixel(y, x);
      for (uint32_t c = 0; c < output.channels(); ++c)
        out[c] = f(inA[c * stepA], inB[c * stepB]);
    }
}

/// output = f(a, b) for every element of the output.
template <typename In, typename Out, typename F>
void forEachPair(const BroadcastShape &shape, const BinaryMaps &maps, F &&f) {
  if (shape.rank == 0)
    return forEachMapPair<In, Out>(maps, f);
  forEachShapedPair<In, Out>(shape, maps, f);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_BROADCASTLOOP_H
