//===- SplitElementwise.cpp - Element by element ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// An axis of the result, with its strides in the result and the inputs.
struct Axis {
  uint32_t extent = 1;
  int64_t output = 0;
  std::vector<int64_t> inputs;

  bool continues(const Axis &inner) const {
    if (output != inner.output * inner.extent)
      return false;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] != inner.inputs[i] * inner.extent)
        return false;
    return true;
  }
};

std::array<uint32_t, 3> extentsOf(const MapShape &shape) { return {shape.height, shape.width, shape.channels}; }

/// Axes from the outermost inwards, where neighbors are merged if all operands continue alike. Empty if an input
/// neither repeats nor follows the result.
std::vector<Axis> axesOf(const Operation &op) {
  const auto output = extentsOf(op.outputs[0].shape);
  std::vector<Axis> axes; // innermost first
  std::vector<int64_t> strides(op.inputs.size(), 1);
  int64_t outputStride = 1;
  for (size_t k = 3; k-- > 0; outputStride *= output[k]) {
    Axis axis{output[k], outputStride, {}};
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const uint32_t extent = extentsOf(op.inputs[i].shape)[k];
      if (extent != 1 && extent != output[k])
        return {};
      axis.inputs.push_back(extent == 1 ? 0 : strides[i]);
      strides[i] *= extent;
    }
    if (axis.extent == 1)
      continue;
    if (!axes.empty() && axis.continues(axes.back()))
      axes.back().extent *= axis.extent;
    else
      axes.push_back(std::move(axis));
  }
  if (axes.empty())
    axes.push_back({1, 1, std::vector<int64_t>(op.inputs.size(), 1)});
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// Writes the maps of the commands that work element by element.
struct MapWriter {
  const std::vector<FeatureMap> &inputs;
  const FeatureMap &output;

  void operator()(EltwiseCommand &eltwise) const {
    eltwise.output = output;
    eltwise.inputA = repeated(inputs[0]);
    eltwise.inputB = repeated(inputs[1]);
  }
  void operator()(LookupCommand &lookup) const {
    lookup.output = output;
    lookup.input = inputs[0];
  }
  void operator()(DspCommand &dsp) const {
    dsp.inputs = inputs;
    dsp.outputs = {output};
  }
  void operator()(auto &) const {}

  /// The array repeats rows and columns by strides of 0, channels without a stride.
  FeatureMap repeated(FeatureMap map) const {
    if (map.height == 1 && output.height != 1) {
      map.height = map.ringRows = output.height;
      map.rowStride = 0;
    }
    if (map.width == 1 && output.width != 1) {
      map.width = output.width;
      map.pixelStride = 0;
    }
    return map;
  }
};

class ElementwiseSplitter : public Splitter {
public:
  ElementwiseSplitter(const Operation &op, std::vector<Axis> axes) : op_(op), axes_(std::move(axes)) {
    for (const Axis &axis : axes_)
      extents_.push_back(axis.extent);
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    Piece piece{op_.command, {}, {}};
    std::vector<FeatureMap> maps;
    for (uint32_t i = 0; i < op_.inputs.size(); ++i) {
      const auto stride = [i](const Axis &axis) { return axis.inputs[i]; };
      const std::optional<Box> box = boxOf(op_.inputs[i].shape.type, ranges, stride);
      if (!box)
        return std::nullopt;
      piece.inputs.push_back({i, *box});
      maps.push_back(mapOf(op_.inputs[i], ranges, stride));
    }
    const auto stride = [](const Axis &axis) { return axis.output; };
    const std::optional<Box> box = boxOf(op_.outputs[0].shape.type, ranges, stride);
    if (!box)
      return std::nullopt;
    piece.output = *box;
    std::visit(MapWriter{maps, mapOf(op_.outputs[0], ranges, stride)}, piece.command);
    return piece;
  }

private:
  template <typename Stride>
  std::optional<Box> boxOf(DataType type, const std::vector<Range> &ranges, Stride stride) const {
    int64_t offset = 0;
    std::vector<ViewAxis> loop;
    for (size_t k = 0; k < axes_.size(); ++k) {
      offset += ranges[k].begin * stride(axes_[k]);
      loop.push_back({ranges[k].count(), stride(axes_[k])});
    }
    std::optional<View> view = viewOf(sizeOf(type), offset, loop, false);
    return view ? std::optional(view->box) : std::nullopt;
  }

  /// Copies are dense in axis order, with extents of 1 where the operand repeats.
  template <typename Stride>
  FeatureMap mapOf(const Operand &operand, const std::vector<Range> &ranges, Stride stride) const {
    if (axes_.size() == 1)
      return lineMap(operand, stride(axes_[0]) == 0 ? 1 : ranges[0].count(), ranges[0].count());
    std::array<uint32_t, 3> extents{1, 1, 1};
    for (size_t k = 0; k < axes_.size(); ++k)
      extents[3 - axes_.size() + k] = stride(axes_[k]) == 0 ? 1 : ranges[k].count();
    return denseMap(operand.shape.type, extents[0], extents[1], extents[2], operand.zeroPoint);
  }

  /// A line may have any shape; use one that fills the array's steps, if the length allows it.
  static FeatureMap lineMap(const Operand &operand, uint32_t have, uint32_t length) {
    constexpr uint32_t kWidth = 16, kChannels = 32;
    if (length % (kWidth * kChannels) || have == 1)
      return denseMap(operand.shape.type, 1, 1, have, operand.zeroPoint);
    return denseMap(operand.shape.type, length / (kWidth * kChannels), kWidth, kChannels, operand.zeroPoint);
  }

  const Operation &op_;
  const std::vector<Axis> axes_;
};

} // namespace

Splitters splitElementwise(const Whole &whole) {
  std::vector<Axis> axes = axesOf(whole.op);
  return axes.empty() ? Splitters() : oneSplitter<ElementwiseSplitter>(whole.op, std::move(axes));
}

} // namespace avocet::compiler::schedule
