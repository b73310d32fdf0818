//===- SplitScan.cpp - Running sums of lines larger than memory -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of a line follow each other in the order of the sum. Each gives its results with the sum before it, and
// is then added to the sum.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Splitters.h"

#include "avocet/kernels/dsp/Scan.h"

namespace avocet::compiler::schedule {

using namespace firmware;

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
