//===- SplitWindowLayers.cpp - Windows on the vector DSP --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Window.h"

#include <functional>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Shape of an operand's images, and its channels per step of the unit axis.
struct Images {
  uint32_t height = 0, width = 0, channels = 0; ///< of one image
  uint32_t perUnit = 0;                         ///< channels per unit; 0: every unit reads all channels
};

/// A part of the result, in terms of the kernel's parameters.
struct WindowPart {
  Range units;
  uint32_t batch = 0, padTop = 0, padLeft = 0;
};

/// Cuts along units of independent channels, images, rows, columns.
class ImageSplitter : public Splitter {
public:
  using Parameters = std::function<std::vector<uint32_t>(const WindowPart &)>;
  /// Appends the operands of a unit other than the image; false if one is not a box.
  using Others = std::function<bool(Range units, DspCommand &, Piece &)>;

  struct Layer {
    uint32_t units = 1, batch = 1;
    Window window;
    bool isTransposed = false; ///< the window is that of a transposed convolution
    Parameters parameters;
    Others others;
  };

  ImageSplitter(const Operation &op, Layer layer, uint32_t inputPerUnit, uint32_t outputPerUnit)
      : op_(op), layer_(std::move(layer)), from_(imagesOf(op.inputs[0].shape, inputPerUnit)),
        to_(imagesOf(op.outputs[0].shape, outputPerUnit)) {
    extents_ = {layer_.units, layer_.batch, to_.height, to_.width};
  }

  std::optional<Piece> piece(const std::vector<Range> &ranges) const override {
    const Range outputRows = ranges[2], outputColumns = ranges[3];
    const Needed rows = neededSteps(rowsOf(layer_.window), outputRows, from_.height),
                 columns = neededSteps(columnsOf(layer_.window), outputColumns, from_.width);
    if (rows.range.begin >= rows.range.end || columns.range.begin >= columns.range.end)
      return std::nullopt;
    Piece piece{op_.command, {}, {}};
    DspCommand command = std::get<DspCommand>(op_.command);
    command.inputs.clear();
    command.outputs.clear();
    const auto from = add(op_.inputs[0], from_, {ranges[1], rows.range, columns.range, ranges[0]}, command.inputs);
    const auto to = add(op_.outputs[0], to_, {ranges[1], outputRows, outputColumns, ranges[0]}, command.outputs);
    if (!from || !to)
      return std::nullopt;
    piece.inputs.push_back({0, *from});
    piece.output = *to;
    if (!layer_.others(ranges[0], command, piece))
      return std::nullopt;
    command.parameters = layer_.parameters({ranges[0], ranges[1].count(), rows.pad, columns.pad});
    piece.command = std::move(command);
    return piece;
  }

private:
  Needed neededSteps(const WindowSteps &window, Range results, uint32_t extent) const {
    return layer_.isTransposed ? window.transposedInputsOf(results.begin, results.end, extent)
                               : window.inputsOf(results.begin, results.end, extent);
  }

  Images imagesOf(const MapShape &shape, uint32_t perUnit) const {
    return {shape.height / layer_.batch, shape.width, shape.channels, perUnit};
  }

  /// Appends the box of images, rows, columns and units, and its map.
  std::optional<Box> add(const Operand &operand, const Images &images, std::vector<Range> ranges,
                         std::vector<FeatureMap> &maps) const {
    ranges[3] = images.perUnit ? Range{ranges[3].begin * images.perUnit, ranges[3].end * images.perUnit}
                               : Range{0, images.channels};
    const auto view = viewOfRanges(operand.shape.type,
                                   denseSteps({layer_.batch, images.height, images.width, images.channels}), ranges);
    maps.push_back(denseMap(operand.shape.type, ranges[0].count() * ranges[1].count(), ranges[2].count(),
                            ranges[3].count(), operand.zeroPoint));
    return view ? std::optional(view->box) : std::nullopt;
  }

  const Operation &op_;
  const Layer layer_;
  const Images from_, to_;
};

/// Appends a range of the middle axis of an operand that is a table of `outer` x `extent` x `inner` elements.
bool addPart(const Operation &op, uint32_t index, std::array<uint32_t, 3> table, Range range, const FeatureMap &map,
             DspCommand &command, Piece &piece) {
  const Operand &operand = op.inputs[index];
  const auto view = viewOfRanges(operand.shape.type, denseSteps({table[0], table[1], table[2]}),
                                 {{0, table[0]}, range, {0, table[2]}});
  if (!view)
    return false;
  command.inputs.push_back(map);
  piece.inputs.push_back({index, view->box});
  return true;
}

/// The filter, bias and scales of a window convolution.
class Weights {
public:
  Weights(const Operation &op, const kernels::WindowConvParameters &parameters, uint32_t outputPerUnit)
      : op_(op), parameters_(parameters), outputPerUnit_(outputPerUnit) {}

  bool operator()(Range units, DspCommand &command, Piece &piece) const {
    const Range channels{units.begin * outputPerUnit_, units.end * outputPerUnit_};
    if (!addFilter(channels, command, piece))
      return false;
    for (uint32_t index = 2; index < op_.inputs.size(); ++index)
      if (!addRecords(index, channels, command, piece))
        return false;
    return true;
  }

private:
  uint32_t outputChannels() const { return op_.outputs[0].shape.channels; }

  bool addFilter(Range channels, DspCommand &command, Piece &piece) const {
    const Operand &filter = op_.inputs[1];
    const Window &window = parameters_.window;
    const uint32_t taps = window.kernelHeight * window.kernelWidth, count = channels.count();
    if (parameters_.form == kernels::WindowConvForm::Depthwise)
      return addPart(op_, 1, {taps, outputChannels(), 1}, channels,
                     denseMap(filter.shape.type, window.kernelHeight, window.kernelWidth, count, filter.zeroPoint),
                     command, piece);
    const uint32_t depth = filter.shape.channels;
    return addPart(
        op_, 1, {1, outputChannels(), taps * depth}, channels,
        denseMap(filter.shape.type, count * window.kernelHeight, window.kernelWidth, depth, filter.zeroPoint), command,
        piece);
  }

  /// Adds the elements of a row that belong to the output channels, or to all of them.
  bool addRecords(uint32_t index, Range channels, DspCommand &command, Piece &piece) const {
    const Operand &row = op_.inputs[index];
    const bool isBias = index == 2 && parameters_.hasBias;
    const uint32_t each = isBias ? 1 : 2;
    const uint32_t records = row.shape.channels / each;
    const Range range = records == outputChannels() ? channels : Range{0, records};
    return addPart(op_, index, {1, records, each}, range,
                   denseMap(row.shape.type, 1, 1, range.count() * each, row.zeroPoint), command, piece);
  }

  const Operation &op_;
  const kernels::WindowConvParameters parameters_;
  const uint32_t outputPerUnit_;
};

Splitters splitPool(const Whole &whole, const DspCommand &command) {
  auto parameters = kernels::unpackParameters<kernels::WindowPoolParameters>(command.parameters);
  if (!parameters.isOk() || parameters->batch == 0)
    return {};
  ImageSplitter::Layer layer;
  layer.units = whole.op.outputs[0].shape.channels;
  layer.batch = parameters->batch;
  layer.window = parameters->window;
  layer.parameters = [pool = *parameters](const WindowPart &part) mutable {
    pool.batch = part.batch;
    pool.window.padTop = part.padTop;
    pool.window.padLeft = part.padLeft;
    return kernels::packParameters(pool);
  };
  layer.others = [](Range, DspCommand &, Piece &) { return true; };
  return oneSplitter<ImageSplitter>(whole.op, std::move(layer), 1u, 1u);
}

/// Units are output channels that read all of the input, or groups; depthwise has one group per input channel.
Splitters splitConv(const Whole &whole, const DspCommand &command) {
  auto parameters = kernels::unpackParameters<kernels::WindowConvParameters>(command.parameters);
  if (!parameters.isOk() || parameters->batch == 0 || parameters->groups == 0)
    return {};
  const uint32_t inputs = whole.op.inputs[0].shape.channels, outputs = whole.op.outputs[0].shape.channels;
  const uint32_t groups = parameters->form == kernels::WindowConvForm::Depthwise ? inputs : parameters->groups;
  const bool isGrouped = groups > 1;
  ImageSplitter::Layer layer;
  layer.units = isGrouped ? groups : outputs;
  layer.batch = parameters->batch;
  layer.window = parameters->window;
  layer.isTransposed = parameters->form == kernels::WindowConvForm::Transposed;
  layer.parameters = [conv = *parameters](const WindowPart &part) mutable {
    conv.batch = part.batch;
    conv.groups = conv.groups > 1 ? part.units.count() : 1;
    conv.window.padTop = part.padTop;
    conv.window.padLeft = part.padLeft;
    return kernels::packParameters(conv);
  };
  const uint32_t outputPerUnit = isGrouped ? outputs / groups : 1;
  layer.others = Weights(whole.op, *parameters, outputPerUnit);
  return oneSplitter<ImageSplitter>(whole.op, std::move(layer), isGrouped ? inputs / groups : 0u, outputPerUnit);
}

} // namespace

Splitters splitWindowLayers(const Whole &whole) {
  const auto &command = std::get<DspCommand>(whole.op.command);
  return whole.kernel == kernels::kWindowPoolKernel ? splitPool(whole, command) : splitConv(whole, command);
}

} // namespace avocet::compiler::schedule
