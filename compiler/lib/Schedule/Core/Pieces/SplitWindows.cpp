//===- SplitWindows.cpp - Convolutions and pools ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/dsp/Resize.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Cuts along groups of channels with their own constants, rows, columns. Constants are loaded once per group.
class WindowSplitter : public Splitter {
public:
  enum class Channels { Own, All }; ///< input channels that channels of the result read

  WindowSplitter(const Operation &op, const Window &window, Channels channels, uint32_t granule)
      : op_(op), window_(window), channels_(channels), granule_(granule) {
    const MapShape &shape = op.outputs[0].shape;
    extents_ = {granule ? divideUp(shape.channels, granule) : 1, shape.height, shape.width};
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const MapShape &from = op_.inputs[0].shape, &to = op_.outputs[0].shape;
    const Range channels = granule_ ? Range{ranges[0].begin * granule_, std::min(ranges[0].end * granule_, to.channels)}
                                    : Range{0, to.channels};
    const Needed rows = rowsOf(window_).inputsOf(ranges[1].begin, ranges[1].end, from.height);
    const Needed columns = columnsOf(window_).inputsOf(ranges[2].begin, ranges[2].end, from.width);
    if (rows.range.begin >= rows.range.end || columns.range.begin >= columns.range.end)
      return std::nullopt;
    const std::vector<Range> read = {rows.range, columns.range, inputChannels(channels)};
    const std::vector<Range> written = {ranges[1], ranges[2], channels};
    const auto input = viewOfRanges(from.type, denseSteps({from.height, from.width, from.channels}), read);
    const auto output = viewOfRanges(to.type, denseSteps({to.height, to.width, to.channels}), written);
    if (!input || !output)
      return std::nullopt;
    Piece piece{op_.command, {{0, input->box}}, output->box, channels.begin, channels.end};
    std::visit(Writer{mapOf(op_.inputs[0], read), mapOf(op_.outputs[0], written), rows.pad, columns.pad,
                      op_.storedWeights, channels},
               piece.command);
    if (op_.hasAddend())
      selectAddend(piece, output->box, mapOf(op_.inputs[Operation::kAddendInput], written));
    return piece;
  }

private:
  /// The addend has the shape of the output.
  static void selectAddend(Piece &piece, const Box &box, const FeatureMap &map) {
    piece.inputs.push_back({Operation::kAddendInput, box});
    std::get<ConvCommand>(piece.command).residual.addend = map;
  }

  struct Writer {
    FeatureMap input, output;
    uint32_t padTop, padLeft;
    const StoredWeights &weights;
    Range channels;

    void operator()(auto &command) const {
      if constexpr (requires { command.window; }) {
        command.input = input;
        command.output = output;
        command.window.padTop = padTop;
        command.window.padLeft = padLeft;
      }
      if constexpr (requires { command.weightBytes; })
        weights.describe(command, channels.begin, channels.end);
    }
  };

  Range inputChannels(Range output) const {
    const uint32_t channels = op_.inputs[0].shape.channels;
    if (channels_ == Channels::All)
      return {0, channels};
    const uint32_t multiplier = op_.outputs[0].shape.channels / channels;
    return {output.begin / multiplier, divideUp(output.end, multiplier)};
  }

  static FeatureMap mapOf(const Operand &operand, const std::vector<Range> &ranges) {
    return denseMap(operand.shape.type, ranges[0].count(), ranges[1].count(), ranges[2].count(), operand.zeroPoint);
  }

  const Operation &op_;
  const Window window_;
  const Channels channels_;
  const uint32_t granule_; ///< 0: channels are not cut
};

} // namespace

Splitters splitWindows(const Whole &whole) {
  if (const auto *pool = std::get_if<PoolCommand>(&whole.op.command))
    return oneSplitter<WindowSplitter>(whole.op, pool->window, WindowSplitter::Channels::Own, 1u);
  const auto &conv = std::get<ConvCommand>(whole.op.command);
  if (whole.op.hasWeightsInput())
    return splitMatrixProducts(whole);
  const auto channels =
      conv.kind == ConvKind::Depthwise ? WindowSplitter::Channels::Own : WindowSplitter::Channels::All;
  return oneSplitter<WindowSplitter>(whole.op, conv.window, channels, whole.op.channelGranule);
}

namespace {

/// Cuts along images, bands of one image, and channels.
class ResizeSplitter : public Splitter {
public:
  ResizeSplitter(const Operation &op, kernels::ResizeParameters resize) : op_(op), resize_(resize) {
    extents_ = {resize.batches, resize.outputHeight, resize.channels};
  }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const bool isBand = cut[1].count() != resize_.outputHeight;
    if (isBand && cut[0].count() != 1)
      return std::nullopt;
    const kernels::ResizeBand band{cut[1].begin, cut[1].count()};
    const kernels::ResizeSource source =
        isBand ? kernels::sourceOf(resize_, band) : kernels::ResizeSource{0, resize_.inputHeight};
    const Range rows{source.firstRow, source.firstRow + source.rows};
    DspCommand command = std::get<DspCommand>(op_.command);
    command.parameters = parametersOf(cut, isBand, band, source);
    const auto from = view(op_.inputs[0], resize_.inputHeight, resize_.inputWidth, {cut[0], rows, cut[2]});
    const auto to = view(op_.outputs[0], resize_.outputHeight, resize_.outputWidth, cut);
    if (!from || !to)
      return std::nullopt;
    command.inputs = {map(op_.inputs[0], resize_.inputWidth, {cut[0], rows, cut[2]})};
    command.outputs = {map(op_.outputs[0], resize_.outputWidth, cut)};
    return Piece{std::move(command), {{0, from->box}}, to->box};
  }

private:
  std::vector<uint32_t> parametersOf(const std::vector<Range> &cut, bool isBand, const kernels::ResizeBand &band,
                                     const kernels::ResizeSource &source) const {
    kernels::ResizeParameters parameters = resize_;
    parameters.batches = cut[0].count();
    parameters.channels = cut[2].count();
    std::vector<uint32_t> words = kernels::packParameters(parameters);
    if (isBand)
      for (const auto &more : {kernels::packParameters(band), kernels::packParameters(source)})
        words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::optional<View> view(const Operand &operand, uint32_t height, uint32_t width,
                           const std::vector<Range> &cut) const {
    return viewOfRanges(operand.shape.type, denseSteps({resize_.batches, height, width, resize_.channels}),
                        {cut[0], cut[1], {0, width}, cut[2]});
  }
  static FeatureMap map(const Operand &operand, uint32_t width, const std::vector<Range> &cut) {
    return denseMap(operand.shape.type, cut[0].count() * cut[1].count(), width, cut[2].count(), operand.zeroPoint);
  }

  const Operation &op_;
  const kernels::ResizeParameters resize_;
};

} // namespace

Splitters splitResize(const Whole &whole) {
  const auto &command = std::get<DspCommand>(whole.op.command);
  auto parameters = kernels::unpackParameters<kernels::ResizeParameters>(command.parameters);
  if (!parameters.isOk() || parameters->inputHeight == 0 || parameters->outputHeight == 0)
    return {};
  return oneSplitter<ResizeSplitter>(whole.op, *parameters);
}

} // namespace avocet::compiler::schedule
