//===- SplitMoves.cpp - Data movement ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/Rearrange.h"
#include "avocet/kernels/dsp/Section.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

FeatureMap lineMap(const Operand &operand, uint64_t elements) {
  return denseMap(operand.shape.type, 1, 1, uint32_t(elements), operand.zeroPoint);
}

/// Cuts one move of a rearrangement.
class MoveSplitter : public Splitter {
public:
  MoveSplitter(const Operation &op, kernels::Move move) : op_(op), move_(std::move(move)) {
    for (const kernels::MoveAxis &axis : move_.axes)
      extents_.push_back(axis.extent);
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const Operand &input = op_.inputs[move_.input], &output = op_.outputs[0];
    const auto from = viewOfSide(input, move_.inputOffset, &kernels::MoveAxis::inputStride, ranges, true);
    const auto to = viewOfSide(output, move_.outputOffset, &kernels::MoveAxis::outputStride, ranges, false);
    if (!from || !to)
      return std::nullopt;
    DspCommand command = std::get<DspCommand>(op_.command);
    command.inputs = {lineMap(input, from->elements)};
    command.outputs = {lineMap(output, to->elements)};
    kernels::Move local{0, uint32_t(from->offset), uint32_t(to->offset), {}};
    for (size_t axis = 0; axis < ranges.size(); ++axis)
      local.axes.push_back({ranges[axis].count(), int32_t(from->strides[axis]), int32_t(to->strides[axis])});
    command.parameters = kernels::packRearrange({false, 0, {kernels::simplified(local)}});
    return Piece{std::move(command), {{move_.input, from->box}}, to->box};
  }

private:
  std::optional<View> viewOfSide(const Operand &operand, uint32_t first, int32_t kernels::MoveAxis::*stride,
                                 const std::vector<Range> &ranges, bool mayCover) const {
    int64_t offset = first;
    std::vector<ViewAxis> loop;
    for (size_t axis = 0; axis < ranges.size(); ++axis) {
      offset += int64_t(ranges[axis].begin) * (move_.axes[axis].*stride);
      loop.push_back({ranges[axis].count(), move_.axes[axis].*stride});
    }
    return viewOf(sizeOf(operand.shape.type), offset, loop, mayCover);
  }

  const Operation &op_;
  const kernels::Move move_;
};

/// Cuts the fill of the result that precedes a rearrangement's moves.
class FillSplitter : public Splitter {
public:
  FillSplitter(const Operation &op, uint64_t bits) : op_(op), bits_(bits) {
    const MapShape &shape = op.outputs[0].shape;
    extents_ = {shape.height * shape.width * shape.channels};
  }

  /// The kernel requires an input: pass one element of the first.
  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const Operand &input = op_.inputs[0], &output = op_.outputs[0];
    const auto from = viewOf(sizeOf(input.shape.type), 0, {}, false);
    const auto to = viewOfRanges(output.shape.type, {1}, ranges);
    DspCommand command = std::get<DspCommand>(op_.command);
    command.inputs = {lineMap(input, 1)};
    command.outputs = {lineMap(output, to->elements)};
    command.parameters = kernels::packRearrange({true, bits_, {}});
    return Piece{std::move(command), {{0, from->box}}, to->box};
  }

private:
  const Operation &op_;
  const uint64_t bits_;
};

/// Cuts slices of a table.
class GatherSplitter : public Splitter {
public:
  GatherSplitter(const Operation &op, kernels::GatherParameters table, Cut kind)
      : op_(op), table_(table), hasState_(kind == Cut::WithState) {
    const MapShape &indices = op.inputs[1].shape;
    extents_ = {table.outer, indices.height * indices.width * indices.channels, table.inner};
    if (hasState_)
      extents_.push_back(table.extent);
  }

  bool limitsTime() const override { return hasState_; }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    // Axes: outer, axis of the table, indices, inner.
    const Range section = hasState_ ? cut[3] : Range{0, table_.extent};
    const std::vector<Range> ranges = {cut[0], section, cut[1], cut[2]};
    const auto from = view(0, {table_.outer, table_.extent, 0, table_.inner}, ranges);
    const auto at = view(1, {0, 0, extents_[1], 0}, ranges);
    const auto to =
        viewOfRanges(op_.outputs[0].shape.type, denseSteps({table_.outer, 0, extents_[1], table_.inner}), ranges);
    if (!from || !at || !to)
      return std::nullopt;
    DspCommand command = std::get<DspCommand>(op_.command);
    command.parameters =
        kernels::packParameters(kernels::GatherParameters{cut[0].count(), section.count(), cut[2].count()});
    command.inputs = {lineMap(op_.inputs[0], from->elements), lineMap(op_.inputs[1], at->elements)};
    command.outputs = {lineMap(op_.outputs[0], to->elements)};
    Piece piece{std::move(command), {{0, from->box}, {1, at->box}}, to->box};
    if (hasState_)
      continueResult(piece, section);
    return piece;
  }

private:
  /// Takes the results from the sections before, and passes them on until the last one.
  void continueResult(Piece &piece, Range section) const {
    auto &command = std::get<DspCommand>(piece.command);
    const kernels::Section step{section.begin == 0, section.end == table_.extent, section.begin, table_.extent};
    for (uint32_t word : kernels::packParameters(step))
      command.parameters.push_back(word);
    piece.state = {piece.output.bytes(), !step.isFirst, !step.isLast};
    if (!step.isFirst)
      command.inputs.push_back(command.outputs[0]);
    if (!step.isLast)
      piece.output = Box();
  }

  std::optional<View> view(uint32_t input, const std::vector<uint32_t> &extents,
                           const std::vector<Range> &ranges) const {
    return viewOfRanges(op_.inputs[input].shape.type, denseSteps(extents), ranges);
  }

  const Operation &op_;
  const kernels::GatherParameters table_;
  const bool hasState_; ///< cuts along the axis of the look-up too
};

const DspCommand *commandOf(const Whole &whole) { return std::get_if<DspCommand>(&whole.op.command); }

} // namespace

Splitters splitRearrange(const Whole &whole) {
  auto parameters = kernels::unpackRearrange(commandOf(whole)->parameters);
  if (!parameters.isOk())
    return {};
  Splitters splitters;
  if (parameters->fill)
    splitters.push_back(std::make_unique<FillSplitter>(whole.op, parameters->fillBits));
  std::vector<uint64_t> inputRows;
  for (const Operand &input : whole.op.inputs)
    inputRows.push_back(uint64_t(input.shape.width) * input.shape.channels);
  const MapShape &result = whole.op.outputs[0].shape;
  for (kernels::Move &move :
       kernels::wholeMoves(*parameters, result.height, inputRows, uint64_t(result.width) * result.channels))
    splitters.push_back(std::make_unique<MoveSplitter>(whole.op, std::move(move)));
  return splitters;
}

static Splitters splitGatherAs(const Whole &whole, Cut cut) {
  auto parameters = kernels::unpackParameters<kernels::GatherParameters>(commandOf(whole)->parameters);
  return parameters.isOk() ? oneSplitter<GatherSplitter>(whole.op, *parameters, cut) : Splitters();
}

Splitters splitGather(const Whole &whole) { return splitGatherAs(whole, Cut::Independent); }
Splitters splitGatherSections(const Whole &whole) { return splitGatherAs(whole, Cut::WithState); }

} // namespace avocet::compiler::schedule
