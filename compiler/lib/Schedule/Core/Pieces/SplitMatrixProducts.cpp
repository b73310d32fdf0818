//===- SplitMatrixProducts.cpp - Matrix products of computed operands -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"
#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// More sets of weights would need more pieces than a plan may have.
constexpr uint32_t kMostSets = 4096;

/// Cuts the rows of one set of weights along groups of output channels, rows and columns.
class ProductSplitter : public Splitter {
public:
  ProductSplitter(const Operation &op, uint32_t set) : op_(op), firstRow_(set * op.rowsPerSet()), set_(set) {
    const MapShape &shape = op.outputs[0].shape;
    extents_ = {divideUp(shape.channels, op.channelGranule), op.rowsPerSet(), shape.width};
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const Operand &from = op_.inputs[0], &to = op_.outputs[0];
    const Range channels{ranges[0].begin * op_.channelGranule,
                         std::min(ranges[0].end * op_.channelGranule, to.shape.channels)};
    const Range rows{firstRow_ + ranges[1].begin, firstRow_ + ranges[1].end};
    const auto input = viewOfMap(from, {rows, ranges[2], {0, from.shape.channels}});
    const auto weights = weightsOf(channels);
    const auto output = viewOfMap(to, {rows, ranges[2], channels});
    if (!input || !weights || !output)
      return std::nullopt;
    ConvCommand command = std::get<ConvCommand>(op_.command);
    command.input = denseMap(from.shape.type, rows.count(), ranges[2].count(), from.shape.channels, from.zeroPoint);
    command.output = denseMap(to.shape.type, rows.count(), ranges[2].count(), channels.count(), to.zeroPoint);
    op_.storedWeights.describe(command, channels.begin, channels.end);
    return Piece{command,
                 {{0, input->box}, {Operation::kWeightsInput, weights->box}},
                 output->box,
                 channels.begin,
                 channels.end};
  }

private:
  static std::optional<View> viewOfMap(const Operand &operand, const std::vector<Range> &ranges) {
    const MapShape &shape = operand.shape;
    return viewOfRanges(shape.type, denseSteps({shape.height, shape.width, shape.channels}), ranges);
  }

  std::optional<View> weightsOf(Range channels) const {
    const MapShape &shape = op_.inputs[Operation::kWeightsInput].shape;
    const uint32_t depth = op_.inputs[0].shape.channels;
    return viewOfRanges(shape.type, denseSteps({shape.height, op_.outputs[0].shape.channels, depth}),
                        {{set_, set_ + 1}, channels, {0, depth}});
  }

  const Operation &op_;
  const uint32_t firstRow_, set_;
};

} // namespace

Splitters splitMatrixProducts(const Whole &whole) {
  const uint32_t sets = whole.op.inputs[Operation::kWeightsInput].shape.height;
  if (sets > kMostSets || whole.op.channelGranule == 0)
    return {};
  Splitters splitters;
  for (uint32_t set = 0; set < sets; ++set)
    splitters.push_back(std::make_unique<ProductSplitter>(whole.op, set));
  return splitters;
}

} // namespace avocet::compiler::schedule
