//===- SplitSlices.cpp - Slices of tables larger than memory ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices at run-time coordinates. A table is cut along its first axis and within its slices: any row of indices may
// select any section, so that each section reads all of them.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Ranges of the table's first axis, of the rows of indices, of the elements of a slice.
struct SliceCut {
  Range rows, indices, elements;
};

/// The operands of a table of slices.
class SliceOperands {
public:
  explicit SliceOperands(const kernels::SliceTable &table) : table_(table) {
    for (uint32_t axis = 1; axis < table.depth; ++axis)
      middle_ *= table.extents[axis];
  }

  std::optional<View> table(const Operand &operand, const SliceCut &cut) const {
    return viewOfRanges(operand.shape.type, denseSteps({table_.extents[0], middle_, table_.slice}),
                        {cut.rows, {0, middle_}, cut.elements});
  }
  std::optional<View> indices(const SliceCut &cut) const {
    return viewOfRanges(DataType::Int32, denseSteps({table_.count, table_.depth}), {cut.indices, {0, table_.depth}});
  }
  std::optional<View> slices(const Operand &operand, const SliceCut &cut) const {
    return viewOfRanges(operand.shape.type, denseSteps({table_.count, table_.slice}), {cut.indices, cut.elements});
  }

  kernels::SliceTable tableOf(const SliceCut &cut) const {
    kernels::SliceTable part = table_;
    part.count = cut.indices.count();
    part.slice = cut.elements.count();
    part.extents[0] = cut.rows.count();
    return part;
  }

  static FeatureMap line(const Operand &operand, const View &view) {
    return denseMap(operand.shape.type, 1, 1, uint32_t(view.elements), operand.zeroPoint);
  }

  static void add(const kernels::Section &section, DspCommand &command) {
    for (uint32_t word : kernels::packParameters(section))
      command.parameters.push_back(word);
  }

  /// A state replaces the output until the last section, and is the last input after the first one.
  static void passOn(const kernels::Section &section, Piece &piece) {
    auto &command = std::get<DspCommand>(piece.command);
    add(section, command);
    piece.state = {piece.output.bytes(), !section.isFirst, !section.isLast};
    if (!section.isFirst)
      command.inputs.push_back(command.outputs[0]);
    if (!section.isLast)
      piece.output = Box();
  }

private:
  const kernels::SliceTable table_;
  uint32_t middle_ = 1; ///< extents between the first axis and the slice
};

/// Cuts along rows of indices, elements, and with a state along the table's rows.
class GatherNdSplitter : public Splitter {
public:
  GatherNdSplitter(const Operation &op, const kernels::SliceTable &table, Cut kind)
      : op_(op), operands_(table), rows_(table.extents[0]), hasState_(kind == Cut::WithState) {
    extents_ = {table.count, table.slice};
    if (hasState_)
      extents_.push_back(rows_);
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const SliceCut cut{hasState_ ? ranges[2] : Range{0, rows_}, ranges[0], ranges[1]};
    const auto from = operands_.table(op_.inputs[0], cut), at = operands_.indices(cut),
               to = operands_.slices(op_.outputs[0], cut);
    if (!from || !at || !to)
      return std::nullopt;
    DspCommand command = std::get<DspCommand>(op_.command);
    command.parameters = kernels::packParameters(operands_.tableOf(cut));
    command.inputs = {SliceOperands::line(op_.inputs[0], *from), SliceOperands::line(op_.inputs[1], *at)};
    command.outputs = {SliceOperands::line(op_.outputs[0], *to)};
    Piece piece{std::move(command), {{0, from->box}, {1, at->box}}, to->box};
    if (hasState_)
      SliceOperands::passOn({cut.rows.begin == 0, cut.rows.end == rows_, cut.rows.begin, rows_}, piece);
    return piece;
  }

private:
  const Operation &op_;
  const SliceOperands operands_;
  const uint32_t rows_;
  const bool hasState_;
};

/// Cuts along the table's rows, elements, and with a state along rows of indices, which change the table in order.
class ScatterSplitter : public Splitter {
public:
  ScatterSplitter(const Operation &op, const kernels::ScatterParameters &parameters, Cut kind)
      : op_(op), all_(parameters), operands_(parameters.table), hasState_(kind == Cut::WithState) {
    extents_ = {all_.table.extents[0], all_.table.slice};
    if (hasState_)
      extents_.push_back(all_.table.count);
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const uint32_t count = all_.table.count;
    const SliceCut cut{ranges[0], hasState_ ? ranges[2] : Range{0, count}, ranges[1]};
    const auto from = operands_.table(op_.inputs[0], cut), at = operands_.indices(cut),
               with = operands_.slices(op_.inputs[2], cut);
    if (!from || !at || !with)
      return std::nullopt;
    const bool isFirst = cut.indices.begin == 0;
    Piece piece{op_.command, {{1, at->box}, {2, with->box}}, from->box};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = kernels::packParameters(kernels::ScatterParameters{operands_.tableOf(cut), all_.kind});
    command.inputs = {SliceOperands::line(op_.inputs[1], *at), SliceOperands::line(op_.inputs[2], *with)};
    command.outputs = {SliceOperands::line(op_.outputs[0], *from)};
    if (isFirst) {
      piece.inputs.insert(piece.inputs.begin(), {0, from->box});
      command.inputs.insert(command.inputs.begin(), SliceOperands::line(op_.inputs[0], *from));
    }
    const kernels::Section section{isFirst, cut.indices.end == count, cut.rows.begin, all_.table.extents[0]};
    if (hasState_)
      SliceOperands::passOn(section, piece);
    else
      SliceOperands::add(section, command);
    return piece;
  }

private:
  const Operation &op_;
  const kernels::ScatterParameters all_;
  const SliceOperands operands_;
  const bool hasState_;
};

template <typename Splitter, typename Parameters> Splitters splitAs(const Whole &whole, Cut cut) {
  const auto parameters = kernels::unpackParameters<Parameters>(std::get<DspCommand>(whole.op.command).parameters);
  return parameters.isOk() ? oneSplitter<Splitter>(whole.op, *parameters, cut) : Splitters();
}

Splitters splitSlicesAs(const Whole &whole, Cut cut) {
  return whole.kernel == kernels::kScatterKernel ? splitAs<ScatterSplitter, kernels::ScatterParameters>(whole, cut)
                                                 : splitAs<GatherNdSplitter, kernels::SliceTable>(whole, cut);
}

} // namespace

Splitters splitSlices(const Whole &whole) { return splitSlicesAs(whole, Cut::Independent); }
Splitters splitSliceSections(const Whole &whole) { return splitSlicesAs(whole, Cut::WithState); }

} // namespace avocet::compiler::schedule
