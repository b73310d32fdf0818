//===- SplitBroadcast.cpp - Operands that repeat inside a row ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Binary.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Cuts the rows of a binary operation whose operands repeat along axes inside a row.
class BroadcastSplitter : public Splitter {
public:
  BroadcastSplitter(const Operation &op, kernels::BinaryParameters parameters)
      : op_(op), command_(std::get<DspCommand>(op.command)), parameters_(parameters) {
    extents_.push_back(op.outputs[0].shape.height);
    extents_.insert(extents_.end(), parameters.shape.extents.begin(),
                    parameters.shape.extents.begin() + parameters.shape.rank);
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    kernels::BinaryParameters parameters = parameters_;
    std::array<uint32_t, kernels::BroadcastShape::kMaxAxes> dense{};
    for (size_t axis = parameters.shape.rank, stride = 1; axis-- > 0; stride *= extents_[axis + 1])
      dense[axis] = uint32_t(stride);
    for (uint32_t axis = 0; axis < parameters.shape.rank; ++axis)
      parameters.shape.extents[axis] = ranges[axis + 1].count();
    Piece piece{command_, {}, {}};
    DspCommand command = command_;
    const auto a = viewOfOperand(op_.inputs[0], parameters_.shape.stridesA, ranges);
    const auto b = viewOfOperand(op_.inputs[1], parameters_.shape.stridesB, ranges);
    const auto out = viewOfOperand(op_.outputs[0], dense, ranges);
    if (!a || !b || !out)
      return std::nullopt;
    setStrides(*a, parameters.shape.stridesA);
    setStrides(*b, parameters.shape.stridesB);
    command.parameters = kernels::packParameters(parameters);
    command.inputs = {mapOf(op_.inputs[0], *a, ranges[0]), mapOf(op_.inputs[1], *b, ranges[0])};
    command.outputs = {mapOf(op_.outputs[0], *out, ranges[0])};
    piece.command = std::move(command);
    piece.inputs = {{0, a->box}, {1, b->box}};
    piece.output = out->box;
    return piece;
  }

private:
  using Strides = std::array<uint32_t, kernels::BroadcastShape::kMaxAxes>;

  std::optional<View> viewOfOperand(const Operand &operand, const Strides &strides,
                                    const std::vector<Range> &ranges) const {
    const int64_t rowStride = operand.shape.height == 1 ? 0 : int64_t(operand.shape.width) * operand.shape.channels;
    int64_t offset = ranges[0].begin * rowStride;
    std::vector<ViewAxis> loop{{ranges[0].count(), rowStride}};
    for (uint32_t axis = 0; axis < parameters_.shape.rank; ++axis) {
      offset += int64_t(ranges[axis + 1].begin) * strides[axis];
      loop.push_back({ranges[axis + 1].count(), strides[axis]});
    }
    return viewOf(sizeOf(operand.shape.type), offset, loop, false);
  }

  void setStrides(const View &view, Strides &strides) const {
    for (uint32_t axis = 0; axis < parameters_.shape.rank; ++axis)
      strides[axis] = uint32_t(view.strides[axis + 1]);
  }

  static FeatureMap mapOf(const Operand &operand, const View &view, Range rows) {
    const uint32_t height = operand.shape.height == 1 ? 1 : rows.count();
    return denseMap(operand.shape.type, height, 1, uint32_t(view.elements / height), operand.zeroPoint);
  }

  const Operation &op_;
  const DspCommand &command_;
  const kernels::BinaryParameters parameters_;
};

/// Parameters of a binary operation whose operands repeat inside a row; nullopt for other operations.
std::optional<kernels::BinaryParameters> broadcastParameters(const Whole &whole) {
  const auto *dsp = std::get_if<DspCommand>(&whole.op.command);
  if (!dsp || whole.kernel != kernels::kBinaryKernel)
    return std::nullopt;
  auto parameters = kernels::unpackParameters<kernels::BinaryParameters>(dsp->parameters);
  if (!parameters.isOk() || parameters->shape.rank == 0 || parameters->shape.rank > kernels::BroadcastShape::kMaxAxes)
    return std::nullopt;
  return *parameters;
}

} // namespace

Splitters splitBroadcast(const Whole &whole) {
  const auto parameters = broadcastParameters(whole);
  return parameters ? oneSplitter<BroadcastSplitter>(whole.op, *parameters) : Splitters();
}

} // namespace avocet::compiler::schedule
