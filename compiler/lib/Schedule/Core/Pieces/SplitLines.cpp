//===- SplitLines.cpp - Normalizations and reductions -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that work along some axes of their operand. Only the other axes are cut, since sums keep their order.
//
// The sections of a line follow each other in the order of the sum. Each gives its results with the sum before it, and
// is then added to the sum.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Scan.h"

#include <functional>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// The extents of some axes; `whole` marks those along which the kernel works.
struct Extents {
  std::vector<uint32_t> all;
  std::vector<bool> whole;
};

/// Cuts a command with one input, whose parameters follow from the extents of the piece.
class AxesSplitter : public Splitter {
public:
  using Parameters = std::function<std::vector<uint32_t>(const std::vector<uint32_t> &)>;
  /// Rows, columns and channels of a map with these extents.
  using Shape = std::function<std::array<uint32_t, 3>(const std::vector<uint32_t> &)>;

  /// `reduces`: the result lacks the axes along which the kernel works.
  AxesSplitter(const Operation &op, Extents extents, bool reduces, Parameters parameters, Shape shape)
      : op_(op), axes_(std::move(extents)), parameters_(std::move(parameters)), shape_(std::move(shape)) {
    for (size_t axis = 0; axis < axes_.all.size(); ++axis) {
      reducedExtents_.push_back(reduces && axes_.whole[axis] ? 0 : axes_.all[axis]);
      if (!axes_.whole[axis])
        extents_.push_back(axes_.all[axis]);
    }
  }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    std::vector<Range> ranges;
    std::vector<uint32_t> extents, resultExtents;
    for (size_t axis = 0, next = 0; axis < axes_.all.size(); ++axis) {
      ranges.push_back(axes_.whole[axis] ? Range{0, axes_.all[axis]} : cut[next++]);
      extents.push_back(ranges.back().count());
      resultExtents.push_back(reducedExtents_[axis] ? extents.back() : 1);
    }
    const Operand &input = op_.inputs[0], &output = op_.outputs[0];
    const auto from = viewOfRanges(input.shape.type, denseSteps(axes_.all), ranges);
    const auto to = viewOfRanges(output.shape.type, denseSteps(reducedExtents_), ranges);
    if (!from || !to)
      return std::nullopt;
    DspCommand command = std::get<DspCommand>(op_.command);
    command.parameters = parameters_(extents);
    command.inputs = {mapOf(input, extents)};
    command.outputs = {mapOf(output, resultExtents)};
    return Piece{std::move(command), {{0, from->box}}, to->box};
  }

private:
  FeatureMap mapOf(const Operand &operand, const std::vector<uint32_t> &extents) const {
    const auto [height, width, channels] = shape_(extents);
    return denseMap(operand.shape.type, height, width, channels, operand.zeroPoint);
  }

  const Operation &op_;
  const Extents axes_;
  std::vector<uint32_t> reducedExtents_; ///< 0 where the result has no axis
  const Parameters parameters_;
  const Shape shape_;
};

const DspCommand *commandOf(const Whole &whole) { return std::get_if<DspCommand>(&whole.op.command); }

/// The first axis is rows; all others together are one pixel.
std::array<uint32_t, 3> rowsOfOnePixel(const std::vector<uint32_t> &extents) {
  uint32_t elements = 1;
  for (size_t axis = 1; axis < extents.size(); ++axis)
    elements *= extents[axis];
  return {extents[0], 1, elements};
}

std::array<uint32_t, 3> asTheyAre(const std::vector<uint32_t> &extents) { return {extents[0], extents[1], extents[2]}; }

Splitters splitReduce(const Whole &whole) {
  auto parameters = kernels::unpackParameters<kernels::ReduceParameters>(commandOf(whole)->parameters);
  if (!parameters.isOk() || parameters->rank > kernels::ReduceParameters::kMaxAxes)
    return {};
  Extents extents{{whole.op.inputs[0].shape.height}, {false}};
  for (uint32_t axis = 0; axis < parameters->rank; ++axis) {
    extents.all.push_back(parameters->extents[axis]);
    extents.whole.push_back(parameters->reducedAxes >> axis & 1);
  }
  return oneSplitter<AxesSplitter>(
      whole.op, std::move(extents), true,
      [reduce = *parameters](const std::vector<uint32_t> &piece) mutable {
        std::copy(piece.begin() + 1, piece.end(), reduce.extents.begin());
        return kernels::packParameters(reduce);
      },
      rowsOfOnePixel);
}

Splitters splitArgReduce(const Whole &whole) {
  auto parameters = kernels::unpackParameters<kernels::ArgReduceParameters>(commandOf(whole)->parameters);
  if (!parameters.isOk())
    return {};
  const MapShape &shape = whole.op.inputs[0].shape;
  const uint32_t outer = shape.width * shape.channels / (parameters->extent * parameters->inner);
  return oneSplitter<AxesSplitter>(
      whole.op, Extents{{shape.height, outer, parameters->extent, parameters->inner}, {false, false, true, false}},
      true,
      [reduce = *parameters](const std::vector<uint32_t> &piece) mutable {
        reduce.inner = piece[3];
        return kernels::packParameters(reduce);
      },
      rowsOfOnePixel);
}

/// Means over rows, columns or channels of a map; the parameters contain the divisor.
Splitters splitMean(const Whole &whole) {
  const MapShape &from = whole.op.inputs[0].shape, &to = whole.op.outputs[0].shape;
  return oneSplitter<AxesSplitter>(
      whole.op,
      Extents{{from.height, from.width, from.channels},
              {from.height != to.height, from.width != to.width, from.channels != to.channels}},
      true, [words = commandOf(whole)->parameters](const std::vector<uint32_t> &) { return words; }, asTheyAre);
}

} // namespace

Splitters splitReductions(const Whole &whole) {
  return whole.kernel == kernels::kReduceKernel ? splitReduce(whole)
         : whole.kernel == kernels::kMeanKernel ? splitMean(whole)
                                                : splitArgReduce(whole);
}

/// The extents are the first words of all of these kernels except softmax, whose lines are always pixels.
std::optional<kernels::AxisExtents> lineExtentsOf(const Whole &whole) {
  constexpr size_t kWords = 3;
  if (whole.kernel == kernels::kSoftmaxKernel)
    return kernels::AxisExtents{0, 0, 0};
  auto words = std::span(commandOf(whole)->parameters);
  if (words.size() < kWords)
    return std::nullopt;
  return *kernels::unpackParameters<kernels::AxisExtents>(words.first(kWords));
}

Splitters splitLines(const Whole &whole) {
  const DspCommand &command = *commandOf(whole);
  const std::optional<kernels::AxisExtents> found = lineExtentsOf(whole);
  if (!found)
    return {};
  const kernels::AxisExtents extents = *found;
  if (extents.linesArePixels()) {
    const MapShape &shape = whole.op.inputs[0].shape;
    return oneSplitter<AxesSplitter>(
        whole.op, Extents{{shape.height * shape.width, 1, shape.channels}, {false, true, true}}, false,
        [words = command.parameters](const std::vector<uint32_t> &) { return words; }, asTheyAre);
  }
  return oneSplitter<AxesSplitter>(
      whole.op, Extents{{extents.outer, extents.axis, extents.inner}, {false, true, false}}, false,
      [words = command.parameters](const std::vector<uint32_t> &piece) mutable {
        std::copy(piece.begin(), piece.end(), words.begin());
        return words;
      },
      asTheyAre);
}

namespace {

/// Cuts along groups of lines, sections, and the two commands of a section.
class ScanSplitter : public Splitter {
public:
  ScanSplitter(const Operation &op, const kernels::CumulativeSumParameters &parameters) : op_(op), all_(parameters) {
    extents_ = {all_.extents.outer, all_.extents.inner, all_.extents.axis, 2};
  }

  std::vector<uint32_t> largest() const override { return {extents_[0], extents_[1], extents_[2], 1}; }
  bool limitsTime() const override { return true; }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const Range outer = cut[0], inner = cut[1], section = cut[2];
    const uint32_t length = all_.extents.axis;
    const Range axis = all_.reverse ? Range{length - section.end, length - section.begin} : section;
    const auto from = view(op_.inputs[0], {outer, axis, inner}), to = view(op_.outputs[0], {outer, axis, inner});
    if (!from || !to || cut[3].count() != 1)
      return std::nullopt;
    // No section needs the sum after the last one: its results are computed again.
    const bool isFirst = section.begin == 0, isResult = cut[3].begin == 0 || section.end == length;
    const uint64_t words = uint64_t(outer.count()) * inner.count() * kernels::kLineStateWords;
    const FeatureMap state = denseMap(DataType::Int32, 1, 1, uint32_t(words), 0);
    const auto map = [&](const Operand &operand) {
      return denseMap(operand.shape.type, outer.count(), axis.count(), inner.count(), operand.zeroPoint);
    };
    Piece piece{op_.command, {{0, from->box}}, isResult ? to->box : Box()};
    piece.state = {words * sizeof(uint32_t), !isFirst, !isResult};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = parameters({outer.count(), axis.count(), inner.count()}, isFirst, isResult);
    command.inputs = {map(op_.inputs[0])};
    if (!isFirst)
      command.inputs.push_back(state);
    command.outputs = {isResult ? map(op_.outputs[0]) : state};
    return piece;
  }

private:
  std::optional<View> view(const Operand &operand, const std::vector<Range> &ranges) const {
    const kernels::AxisExtents &extents = all_.extents;
    return viewOfRanges(operand.shape.type, denseSteps({extents.outer, extents.axis, extents.inner}), ranges);
  }

  /// The results of the first section are those of whole lines.
  std::vector<uint32_t> parameters(const kernels::AxisExtents &extents, bool isFirst, bool isResult) const {
    kernels::CumulativeSumParameters part = all_;
    part.extents = extents;
    std::vector<uint32_t> words = kernels::packParameters(part);
    if (!isFirst || !isResult)
      for (uint32_t word : kernels::packParameters(kernels::LineStep{isResult, isFirst, all_.extents.axis}))
        words.push_back(word);
    return words;
  }

  const Operation &op_;
  const kernels::CumulativeSumParameters all_;
};

} // namespace

Splitters splitScan(const Whole &whole) {
  auto parameters =
      kernels::unpackParameters<kernels::CumulativeSumParameters>(std::get<DspCommand>(whole.op.command).parameters);
  if (!parameters.isOk())
    return {};
  const MapShape &shape = whole.op.inputs[0].shape;
  if (parameters->extents.linesArePixels())
    parameters->extents = {shape.height * shape.width, shape.channels, 1};
  return oneSplitter<ScanSplitter>(whole.op, *parameters);
}

} // namespace avocet::compiler::schedule
