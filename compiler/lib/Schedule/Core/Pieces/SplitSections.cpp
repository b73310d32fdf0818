//===- SplitSections.cpp - Lines larger than memory -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normalizations of lines that do not fit in SRAM. The line is read once for each pass of the kernel and once more for
// the results (kernels/dsp/AxisExtents.h).
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Normalize.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Cuts along groups of lines, passes, sections. Each group has its own state.
class SectionSplitter : public Splitter {
public:
  /// `command`: of a kernel that works in sections, with parameters that begin with the extents.
  SectionSplitter(const Operation &op, DspCommand command, kernels::AxisExtents extents, uint32_t passes)
      : op_(op), command_(std::move(command)), all_(extents), passes_(passes) {
    extents_ = {extents.outer, extents.inner, passes + 1, extents.axis};
  }

  std::vector<uint32_t> largest() const override { return {all_.outer, all_.inner, 1, all_.axis}; }
  bool limitsTime() const override { return true; }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const Range outer = cut[0], inner = cut[1], pass = cut[2], axis = cut[3];
    const Operand &input = op_.inputs[0], &output = op_.outputs[0];
    const auto from = view(input, outer, axis, inner), to = view(output, outer, axis, inner);
    if (!from || !to || pass.count() != 1)
      return std::nullopt;
    const uint64_t words = uint64_t(outer.count()) * inner.count() * kernels::kLineStateWords;
    const FeatureMap state = denseMap(DataType::Int32, 1, 1, uint32_t(words), 0);
    const bool isFirst = pass.begin == 0 && axis.begin == 0, isResult = pass.begin == passes_;
    Piece piece{command_, {{0, from->box}}, isResult ? to->box : Box()};
    piece.state = {words * sizeof(uint32_t), !isFirst, !isResult};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = parameters({outer.count(), axis.count(), inner.count()}, {pass.begin, isFirst, all_.axis});
    command.inputs = {map(input, outer, axis, inner)};
    if (!isFirst)
      command.inputs.push_back(state);
    command.outputs = {isResult ? map(output, outer, axis, inner) : state};
    return piece;
  }

private:
  std::optional<View> view(const Operand &operand, Range outer, Range axis, Range inner) const {
    return viewOfRanges(operand.shape.type, denseSteps({all_.outer, all_.axis, all_.inner}), {outer, axis, inner});
  }

  static FeatureMap map(const Operand &operand, Range outer, Range axis, Range inner) {
    return denseMap(operand.shape.type, outer.count(), axis.count(), inner.count(), operand.zeroPoint);
  }

  std::vector<uint32_t> parameters(const kernels::AxisExtents &extents, const kernels::LineStep &step) const {
    std::vector<uint32_t> words = command_.parameters;
    const std::vector<uint32_t> first = kernels::packParameters(extents), last = kernels::packParameters(step);
    std::copy(first.begin(), first.end(), words.begin());
    words.insert(words.end(), last.begin(), last.end());
    return words;
  }

  const Operation &op_;
  const DspCommand command_;
  const kernels::AxisExtents all_;
  const uint32_t passes_;
};

/// The command as one of a kernel that works in sections: softmax of pixels becomes softmax along an axis.
DspCommand sectionCommand(const Whole &whole) {
  DspCommand command = std::get<DspCommand>(whole.op.command);
  if (whole.kernel == kernels::kSoftmaxKernel) {
    command.kernel = kernels::kSoftmaxNdKernel.number;
    command.parameters.insert(command.parameters.begin(), kernels::parameterCount<kernels::AxisExtents>(), 0);
  }
  return command;
}

} // namespace

Splitters splitSections(const Whole &whole) {
  std::optional<kernels::AxisExtents> extents = lineExtentsOf(whole);
  // Sections are computed in place, so that input and result have one type.
  if (!extents || whole.op.inputs[0].shape.type != whole.op.outputs[0].shape.type)
    return {};
  const MapShape &shape = whole.op.inputs[0].shape;
  if (extents->linesArePixels())
    extents = {shape.height * shape.width, shape.channels, 1};
  const kernels::KernelId kernel = whole.kernel == kernels::kSoftmaxKernel ? kernels::kSoftmaxNdKernel : whole.kernel;
  return oneSplitter<SectionSplitter>(whole.op, sectionCommand(whole), *extents, kernels::linePassesOf(kernel));
}

} // namespace avocet::compiler::schedule
