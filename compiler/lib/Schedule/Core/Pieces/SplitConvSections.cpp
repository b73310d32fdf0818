//===- SplitConvSections.cpp - Filters larger than memory -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of the DSP for which the filter of one output channel does not fit in SRAM with its part of the input. The sum
// is cut in its order: along the kernel's rows, or along the input channels of a window of one pixel.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Window.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

bool isPixel(const Window &window) { return window.kernelHeight == 1 && window.kernelWidth == 1; }

/// Steps of the input for the results of a section. If all are padding, any step, with a pad that no window leaves.
Needed neededOrAny(const WindowSteps &window, Range results, uint32_t extent, uint32_t firstTap) {
  const WindowInputs needed = window.inputsOf(results.begin, results.end, extent, firstTap);
  return needed.begin < needed.end ? needed : WindowInputs{0, 1, window.span(results.count())};
}

/// Cuts along output channels, rows, columns, and the sum.
class ConvSectionSplitter : public Splitter {
public:
  ConvSectionSplitter(const Operation &op, const kernels::WindowConvParameters &parameters)
      : op_(op), all_(parameters) {
    const MapShape &to = op.outputs[0].shape;
    extents_ = {to.channels, to.height, to.width,
                isPixel(all_.window) ? op.inputs[0].shape.channels : all_.window.kernelHeight};
  }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const Range channels = cut[0], sum = cut[3];
    const MapShape &from = op_.inputs[0].shape, &to = op_.outputs[0].shape;
    const Range kernelRows = isPixel(all_.window) ? Range{0, 1} : sum;
    const Range depth = isPixel(all_.window) ? sum : Range{0, from.channels};
    kernels::WindowConvParameters part = all_;
    part.window.kernelHeight = kernelRows.count();
    const Needed rows = neededOrAny(rowsOf(part.window), cut[1], from.height, kernelRows.begin),
                 columns = neededOrAny(columnsOf(part.window), cut[2], from.width, 0);
    part.window.padTop = rows.pad;
    part.window.padLeft = columns.pad;
    const auto output =
        viewOfRanges(to.type, denseSteps({to.height, to.width, to.channels}), {cut[1], cut[2], channels});
    Piece piece{op_.command, {}, {}};
    std::get<DspCommand>(piece.command).inputs.clear();
    if (!output || !addFeatures({rows.range, columns.range, depth}, piece) ||
        !addFilter(channels, kernelRows, depth, piece) || !addRecords(channels, piece))
      return std::nullopt;
    piece.output = output->box;
    continueSums(sum, part, {cut[1].count(), cut[2].count(), channels.count()}, piece);
    return piece;
  }

private:
  bool add(uint32_t index, const Steps &steps, const std::vector<Range> &ranges, std::array<uint32_t, 3> shape,
           Piece &piece) const {
    const Operand &operand = op_.inputs[index];
    const auto view = viewOfRanges(operand.shape.type, steps, ranges);
    if (!view)
      return false;
    std::get<DspCommand>(piece.command)
        .inputs.push_back(denseMap(operand.shape.type, shape[0], shape[1], shape[2], operand.zeroPoint));
    piece.inputs.push_back({index, view->box});
    return true;
  }

  bool addFeatures(const std::vector<Range> &ranges, Piece &piece) const {
    const MapShape &shape = op_.inputs[0].shape;
    return add(0, denseSteps({shape.height, shape.width, shape.channels}), ranges,
               {ranges[0].count(), ranges[1].count(), ranges[2].count()}, piece);
  }

  bool addFilter(Range channels, Range rows, Range depth, Piece &piece) const {
    const Window &window = all_.window;
    return add(1, denseSteps({extents_[0], window.kernelHeight, window.kernelWidth, op_.inputs[1].shape.channels}),
               {channels, rows, {0, window.kernelWidth}, depth},
               {channels.count() * rows.count(), window.kernelWidth, depth.count()}, piece);
  }

  /// Bias and scales, of the output channels or of all.
  bool addRecords(Range channels, Piece &piece) const {
    for (uint32_t index = 2; index < op_.inputs.size(); ++index) {
      const uint32_t each = index == 2 && all_.hasBias ? 1 : 2;
      const uint32_t records = op_.inputs[index].shape.channels / each;
      const Range range = records == extents_[0] ? channels : Range{0, records};
      if (!add(index, denseSteps({records, each}), {range, {0, each}}, {1, 1, range.count() * each}, piece))
        return false;
    }
    return true;
  }

  /// Completes a piece with parameters, results and states.
  void continueSums(Range sum, const kernels::WindowConvParameters &part, const std::array<uint32_t, 3> &shape,
                    Piece &piece) const {
    const kernels::Section section{sum.begin == 0, sum.end == extents_[3], sum.begin, extents_[3]};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = kernels::packParameters(part);
    for (uint32_t word : kernels::packParameters(section))
      command.parameters.push_back(word);
    const DataType sums = op_.inputs[0].shape.type == DataType::Int16 ? DataType::Int64 : DataType::Int32;
    const auto map = [&](DataType type, int32_t zeroPoint) {
      return denseMap(type, shape[0], shape[1], shape[2], zeroPoint);
    };
    if (!section.isFirst)
      command.inputs.push_back(map(sums, 0));
    const Operand &result = op_.outputs[0];
    command.outputs = {section.isLast ? map(result.shape.type, result.zeroPoint) : map(sums, 0)};
    if (!section.isLast)
      piece.output = {};
    piece.state = {uint64_t(shape[0]) * shape[1] * shape[2] * sizeOf(sums), !section.isFirst, !section.isLast};
  }

  const Operation &op_;
  const kernels::WindowConvParameters all_;
};

} // namespace

Splitters splitConvSections(const Whole &whole) {
  const auto parameters =
      kernels::unpackParameters<kernels::WindowConvParameters>(std::get<DspCommand>(whole.op.command).parameters);
  if (!parameters.isOk() || parameters->form != kernels::WindowConvForm::Dense || parameters->groups != 1 ||
      parameters->batch != 1)
    return {};
  return oneSplitter<ConvSectionSplitter>(whole.op, *parameters);
}

} // namespace avocet::compiler::schedule
