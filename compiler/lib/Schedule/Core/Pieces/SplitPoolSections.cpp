//===- SplitPoolSections.cpp - Windows larger than memory -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools whose windows do not fit in SRAM with all channels. Windows are cut along their rows, so that a piece reads
// whole pixels; maxima or sums pass from piece to piece.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Window.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Cuts along channels, rows, columns, and the rows of the windows.
class PoolSectionSplitter : public Splitter {
public:
  PoolSectionSplitter(const Operation &op, const kernels::WindowPoolParameters &parameters)
      : op_(op), all_(parameters) {
    const MapShape &to = op.outputs[0].shape;
    extents_ = {to.channels, to.height, to.width, all_.window.kernelHeight};
  }

  bool limitsTime() const override { return true; }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const Range channels = cut[0], windowRows = cut[3];
    const MapShape &from = op_.inputs[0].shape, &to = op_.outputs[0].shape;
    kernels::WindowPoolParameters part = all_;
    part.window.kernelHeight = windowRows.count();
    const Needed rows = rowsOf(part.window).inputsOf(cut[1].begin, cut[1].end, from.height, windowRows.begin);
    const Needed columns = columnsOf(part.window).inputsOf(cut[2].begin, cut[2].end, from.width);
    if (rows.range.begin >= rows.range.end || columns.range.begin >= columns.range.end)
      return std::nullopt;
    part.window.padLeft = columns.pad;
    const std::vector<Range> read = {rows.range, columns.range, channels}, written = {cut[1], cut[2], channels};
    const auto input = viewOfRanges(from.type, denseSteps({from.height, from.width, from.channels}), read);
    const auto output = viewOfRanges(to.type, denseSteps({to.height, to.width, to.channels}), written);
    if (!input || !output)
      return std::nullopt;
    Piece piece{op_.command, {{0, input->box}}, output->box};
    std::get<DspCommand>(piece.command).inputs = {mapOf(from.type, read, op_.inputs[0].zeroPoint)};
    continueStates(windowRows, part, written, piece);
    return piece;
  }

private:
  static FeatureMap mapOf(DataType type, const std::vector<Range> &ranges, int32_t zeroPoint) {
    return denseMap(type, ranges[0].count(), ranges[1].count(), ranges[2].count(), zeroPoint);
  }

  /// Completes a piece with parameters, results and states.
  void continueStates(Range windowRows, const kernels::WindowPoolParameters &part, const std::vector<Range> &written,
                      Piece &piece) const {
    const kernels::Section section{windowRows.begin == 0, windowRows.end == extents_[3], windowRows.begin, extents_[3]};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = kernels::packParameters(part);
    for (uint32_t word : kernels::packParameters(section))
      command.parameters.push_back(word);
    const Operand &result = op_.outputs[0];
    const DataType states = result.shape.type == DataType::Int16 ? DataType::Int64 : DataType::Int32;
    const FeatureMap state = mapOf(states, written, 0);
    if (!section.isFirst)
      command.inputs.push_back(state);
    command.outputs = {section.isLast ? mapOf(result.shape.type, written, result.zeroPoint) : state};
    if (!section.isLast)
      piece.output = {};
    piece.state = {uint64_t(state.rowStride) * state.height, !section.isFirst, !section.isLast};
  }

  const Operation &op_;
  const kernels::WindowPoolParameters all_;
};

} // namespace

Splitters splitPoolSections(const Whole &whole) {
  const auto parameters =
      kernels::unpackParameters<kernels::WindowPoolParameters>(std::get<DspCommand>(whole.op.command).parameters);
  if (!parameters.isOk() || parameters->batch != 1)
    return {};
  return oneSplitter<PoolSectionSplitter>(whole.op, *parameters);
}

} // namespace avocet::compiler::schedule
