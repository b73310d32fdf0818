//===- SplitReduceSections.cpp - Reductions larger than memory --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions along axes that do not fit in SRAM. Sections of the reduced axes follow each other in memory order, so
// that sums keep their order.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Section.h"

#include <algorithm>
#include <functional>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// A reduction as a command of one row.
struct Reduction {
  std::vector<uint32_t> extents; ///< of the input
  std::vector<bool> isReduced;
  kernels::KernelId kernel;
  uint32_t stateWords = 0;
  /// The kernel's parameters for the extents of a section.
  std::function<std::vector<uint32_t>(const std::vector<uint32_t> &)> parameters;
};

/// Cuts along the kept axes, then the reduced ones.
class ReduceSectionSplitter : public Splitter {
public:
  ReduceSectionSplitter(const Operation &op, Reduction reduction) : op_(op), reduction_(std::move(reduction)) {
    for (bool reduced : {false, true})
      for (size_t axis = 0; axis < reduction_.extents.size(); ++axis)
        if (reduction_.isReduced[axis] == reduced)
          order_.push_back(axis);
    for (size_t axis : order_)
      extents_.push_back(reduction_.extents[axis]);
  }

  bool limitsTime() const override { return true; }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    std::vector<Range> ranges(cut.size());
    for (size_t i = 0; i < cut.size(); ++i)
      ranges[order_[i]] = cut[i];
    const Operand &input = op_.inputs[0], &output = op_.outputs[0];
    const auto from = viewOfRanges(input.shape.type, denseSteps(reduction_.extents), ranges);
    const auto to = viewOfRanges(output.shape.type, denseSteps(keptExtents()), ranges);
    const std::optional<kernels::Section> section = sectionOf(ranges);
    if (!from || !to || !section)
      return std::nullopt;
    const uint64_t results = elementsOf(ranges, false), words = results * reduction_.stateWords;
    const FeatureMap state = denseMap(DataType::Int32, 1, 1, uint32_t(words), 0);
    Piece piece{DspCommand(), {{0, from->box}}, section->isLast ? to->box : Box()};
    piece.state = {words * sizeof(uint32_t), !section->isFirst, !section->isLast};
    auto &command = std::get<DspCommand>(piece.command);
    command.kernel = reduction_.kernel.number;
    command.parameters = parametersOf(ranges, *section);
    command.inputs = {line(input, elementsOf(ranges, true) * results)};
    if (!section->isFirst)
      command.inputs.push_back(state);
    command.outputs = {section->isLast ? line(output, results) : state};
    return piece;
  }

private:
  static FeatureMap line(const Operand &operand, uint64_t elements) {
    return denseMap(operand.shape.type, 1, 1, uint32_t(elements), operand.zeroPoint);
  }

  std::vector<uint32_t> keptExtents() const {
    std::vector<uint32_t> extents = reduction_.extents;
    for (size_t axis = 0; axis < extents.size(); ++axis)
      extents[axis] = reduction_.isReduced[axis] ? 0 : extents[axis];
    return extents;
  }

  uint64_t elementsOf(const std::vector<Range> &ranges, bool reduced) const {
    uint64_t elements = 1;
    for (size_t axis = 0; axis < ranges.size(); ++axis)
      elements *= reduction_.isReduced[axis] == reduced ? ranges[axis].count() : 1;
    return elements;
  }

  /// Nullopt if the elements of the ranges do not follow each other along the reduced axes.
  std::optional<kernels::Section> sectionOf(const std::vector<Range> &ranges) const {
    kernels::Section section{1, 1, 0, 1};
    bool mustBeWhole = false;
    for (size_t axis = 0; axis < ranges.size(); ++axis) {
      if (!reduction_.isReduced[axis])
        continue;
      const uint32_t extent = reduction_.extents[axis];
      if (mustBeWhole && ranges[axis].count() != extent)
        return std::nullopt;
      mustBeWhole |= ranges[axis].count() > 1;
      section.isFirst &= ranges[axis].begin == 0;
      section.isLast &= ranges[axis].end == extent;
      section.begin = section.begin * extent + ranges[axis].begin;
      section.length *= extent;
    }
    return section;
  }

  std::vector<uint32_t> parametersOf(const std::vector<Range> &ranges, const kernels::Section &section) const {
    std::vector<uint32_t> extents;
    for (const Range &range : ranges)
      extents.push_back(range.count());
    std::vector<uint32_t> words = reduction_.parameters(extents);
    for (uint32_t word : kernels::packParameters(section))
      words.push_back(word);
    return words;
  }

  const Operation &op_;
  const Reduction reduction_;
  std::vector<size_t> order_; ///< axes of the input, kept ones first
};

/// The rest of a reduction of kernel "reduce" whose axes are known.
std::optional<Reduction> withParameters(Reduction reduction, kernels::ReduceParameters parameters) {
  if (reduction.extents.size() > kernels::ReduceParameters::kMaxAxes)
    return std::nullopt;
  parameters.rank = uint32_t(reduction.extents.size());
  parameters.reducedAxes = 0;
  for (uint32_t axis = 0; axis < parameters.rank; ++axis)
    parameters.reducedAxes |= uint32_t(reduction.isReduced[axis]) << axis;
  reduction.kernel = kernels::kReduceKernel;
  reduction.stateWords = kernels::kReduceStateWords;
  reduction.parameters = [parameters](const std::vector<uint32_t> &section) mutable {
    std::copy(section.begin(), section.end(), parameters.extents.begin());
    return kernels::packParameters(parameters);
  };
  return reduction;
}

std::optional<Reduction> reductionOf(const Whole &whole, const kernels::ReduceParameters &parameters) {
  Reduction reduction{{whole.op.inputs[0].shape.height}, {false}, {}, 0, {}};
  for (uint32_t axis = 0; axis < std::min(parameters.rank, kernels::ReduceParameters::kMaxAxes); ++axis) {
    reduction.extents.push_back(parameters.extents[axis]);
    reduction.isReduced.push_back(parameters.reducedAxes >> axis & 1);
  }
  if (reduction.extents[0] == 1) {
    reduction.extents.erase(reduction.extents.begin());
    reduction.isReduced.erase(reduction.isReduced.begin());
  }
  return withParameters(std::move(reduction), parameters);
}

/// Means over rows, columns or channels of a map.
std::optional<Reduction> reductionOf(const Whole &whole, const kernels::MeanParameters &mean) {
  const MapShape &from = whole.op.inputs[0].shape, &to = whole.op.outputs[0].shape;
  kernels::ReduceParameters parameters;
  parameters.kind = kernels::ReduceKind::Mean;
  parameters.multiplier = mean.multiplier;
  parameters.shift = mean.shift;
  return withParameters({{from.height, from.width, from.channels},
                         {from.height != to.height, from.width != to.width, from.channels != to.channels},
                         {},
                         0,
                         {}},
                        parameters);
}

std::optional<Reduction> reductionOf(const Whole &whole, const kernels::ArgReduceParameters &parameters) {
  const MapShape &shape = whole.op.inputs[0].shape;
  const uint32_t outer = uint32_t(uint64_t(shape.height) * shape.width * shape.channels /
                                  (uint64_t(parameters.extent) * parameters.inner));
  return Reduction{{outer, parameters.extent, parameters.inner},
                   {false, true, false},
                   kernels::kArgReduceKernel,
                   kernels::kArgReduceStateWords,
                   [reduce = parameters](const std::vector<uint32_t> &section) mutable {
                     reduce.extent = section[1];
                     reduce.inner = section[2];
                     return kernels::packParameters(reduce);
                   }};
}

template <typename Parameters> Splitters splitAs(const Whole &whole) {
  const auto parameters = kernels::unpackParameters<Parameters>(std::get<DspCommand>(whole.op.command).parameters);
  std::optional<Reduction> reduction = parameters.isOk() ? reductionOf(whole, *parameters) : std::nullopt;
  return reduction ? oneSplitter<ReduceSectionSplitter>(whole.op, std::move(*reduction)) : Splitters();
}

} // namespace

Splitters splitReduceSections(const Whole &whole) {
  return whole.kernel == kernels::kReduceKernel ? splitAs<kernels::ReduceParameters>(whole)
         : whole.kernel == kernels::kMeanKernel ? splitAs<kernels::MeanParameters>(whole)
                                                : splitAs<kernels::ArgReduceParameters>(whole);
}

} // namespace avocet::compiler::schedule
