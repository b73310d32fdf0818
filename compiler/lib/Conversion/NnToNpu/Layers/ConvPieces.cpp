//===- ConvPieces.cpp - Convolutions as several on the array --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/ConvPieces.h"

#include "Views.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <map>
#include <numeric>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

namespace {

/// Leaves out input positions that the piece does not read, and completes its padding. False if the array cannot walk
/// it.
bool finish(AxisPiece &piece) {
  if (piece.padBefore < 0) {
    piece.first -= piece.padBefore * piece.step;
    piece.extent += piece.padBefore;
    piece.padBefore = 0;
  }
  const int64_t read = (piece.outputs - 1) * piece.stride + piece.taps - piece.padBefore;
  piece.extent = std::min(piece.extent, read);
  if (piece.extent <= 0)
    return false;
  piece.padAfter = read - piece.extent;
  return arrayTakesAxis(
      {piece.extent, piece.outputs, piece.taps, piece.stride, piece.dilation, piece.padBefore, piece.padAfter});
}

int64_t floorDivide(int64_t number, int64_t by) { return number < 0 ? -divideUp(-number, by) : number / by; }

} // namespace

AxisPieces wholeAxis(const ArrayAxis &axis) {
  AxisPiece piece{.extent = axis.input, .stride = axis.stride, .dilation = axis.dilation};
  piece.padBefore = axis.padBefore;
  piece.padAfter = axis.padAfter;
  piece.taps = axis.kernel;
  piece.outputs = axis.output;
  return {piece};
}

AxisPieces dilationPhases(const ArrayAxis &axis) {
  const int64_t common = std::gcd(axis.stride, axis.dilation);
  const int64_t count = std::min(axis.dilation / common, axis.output);
  AxisPieces pieces;
  if (count > kMostPieces)
    return pieces;
  for (int64_t phase = 0; phase < count; ++phase) {
    const int64_t start = phase * axis.stride - axis.padBefore, row = floorDivide(start, axis.dilation);
    AxisPiece piece{.first = start - row * axis.dilation, .step = axis.dilation, .stride = axis.stride / common};
    piece.extent = piece.first < axis.input ? divideUp(axis.input - piece.first, axis.dilation) : 0;
    piece.padBefore = -row;
    piece.taps = axis.kernel;
    piece.outputs = divideUp(axis.output - phase, count);
    if (!finish(piece))
      return {};
    pieces.push_back(piece);
  }
  return pieces;
}

AxisPieces transposedPhases(const TransposedAxis &axis) {
  const int64_t count = std::min(axis.stride, axis.output);
  AxisPieces pieces;
  if (count > kMostPieces)
    return pieces;
  for (int64_t phase = 0; phase < count; ++phase) {
    const int64_t quotient = (phase + axis.padBefore) / axis.stride, rest = (phase + axis.padBefore) % axis.stride;
    AxisPiece piece{.extent = axis.input};
    piece.outputs = divideUp(axis.output - phase, count);
    piece.taps = std::max<int64_t>(1, axis.kernel > rest ? divideUp(axis.kernel - rest, axis.stride) : 0);
    // Outputs past the reach of the input: zeros before the taps let their windows begin inside of it.
    piece.taps += std::max<int64_t>(0, piece.outputs - (axis.input + piece.taps - 1 - quotient));
    piece.firstTap = rest + axis.stride * (piece.taps - 1);
    piece.tapStep = -axis.stride;
    piece.padBefore = piece.taps - 1 - quotient;
    if (!finish(piece))
      return {};
    pieces.push_back(piece);
  }
  return pieces;
}

namespace {

/// The kernel position of a tap of a piece; past the kernel's end if it is a zero.
size_t kernelPosition(const AxisPiece &piece, int64_t tap) {
  return static_cast<size_t>(piece.firstTap + tap * piece.tapStep);
}

/// Whether a piece takes the kernel as it is.
bool takesAll(const AxisPiece &piece, size_t kernel) {
  return piece.firstTap == 0 && piece.tapStep == 1 && static_cast<size_t>(piece.taps) == kernel;
}

/// The taps of a piece for some outputs of a filter [outputs, height, width, channels of a group].
struct FilterPart {
  std::array<size_t, 2> kernel = {};
  AxisPiece rows, columns;
  size_t firstOutput = 0, outputs = 0;
  size_t groups = 1, channels = 0; ///< of the piece

  /// Each output has its weights at the channels of its group.
  void take(llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) const {
    const size_t bytes = channels / groups * elementSize;
    uint8_t *pixel = ordered.data();
    for (size_t output = 0; output < outputs; ++output)
      for (int64_t row = 0; row < rows.taps; ++row)
        for (int64_t column = 0; column < columns.taps; ++column, pixel += channels * elementSize) {
          const size_t y = kernelPosition(rows, row), x = kernelPosition(columns, column);
          if (y < kernel[0] && x < kernel[1])
            std::memcpy(pixel + output / (outputs / groups) * bytes,
                        &plain[(((firstOutput + output) * kernel[0] + y) * kernel[1] + x) * bytes], bytes);
        }
  }
};

} // namespace

FilterOrder DividedConv::orderOf(const Number &number) const {
  const AxisPiece &rows = division.rows[number.row], &columns = division.columns[number.column];
  if (whole.order || (filterGroups == 1 && takesAll(rows, kernel[0]) && takesAll(columns, kernel[1])))
    return whole.order;
  const size_t outputs = whole.dims.outputChannels / division.groups;
  const size_t channels = whole.dims.inputChannels / division.groups;
  const size_t groups = filterGroups / division.groups;
  const FilterPart part{kernel, rows, columns, number.group * outputs, outputs, groups, channels};
  return [part](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    part.take(plain, elementSize, ordered);
  };
}

MacLayer DividedConv::layerOf(const Number &number) const {
  const AxisPiece &rows = division.rows[number.row], &columns = division.columns[number.column];
  const auto storage = tensorOf(whole.inputStorage);
  const int64_t height = storage.getDimSize(0) / division.images;
  const auto outputs = static_cast<uint32_t>(whole.dims.outputChannels / division.groups);
  const auto channels = static_cast<uint32_t>(whole.dims.inputChannels / division.groups);
  MacLayer layer = whole;
  layer.dims = {outputs, static_cast<uint32_t>(rows.taps), static_cast<uint32_t>(columns.taps), channels};
  layer.window.kernelHeight = layer.dims.kernelHeight;
  layer.window.kernelWidth = layer.dims.kernelWidth;
  layer.window.strideHeight = rows.stride;
  layer.window.strideWidth = columns.stride;
  layer.window.dilationHeight = rows.dilation;
  layer.window.dilationWidth = columns.dilation;
  layer.window.padTop = rows.padBefore;
  layer.window.padLeft = columns.padBefore;
  layer.padBottom = rows.padAfter;
  layer.padRight = columns.padAfter;
  layer.outputShape = {rows.outputs, columns.outputs, outputs};
  layer.recordPeriod = whole.dims.outputChannels;
  layer.firstRecord = outputs * number.group;
  layer.order = orderOf(number);
  const InputPart part{{number.image * height + rows.first, columns.first, number.group * channels},
                       {rows.extent, columns.extent, channels},
                       {rows.step, columns.step}};
  if (storage.getShape() != ArrayRef(part.shape))
    layer.inputPart = part;
  return layer;
}

std::optional<uint64_t> DividedConv::cycles(Placement &placement) const {
  uint64_t sum = 0;
  std::map<std::vector<int64_t>, uint64_t> known; // by what tells commands apart
  for (size_t row = 0; row < division.rows.size(); ++row)
    for (size_t column = 0; column < division.columns.size(); ++column) {
      const AxisPiece &y = division.rows[row], &x = division.columns[column];
      const auto [entry, isNew] =
          known.try_emplace({y.extent, y.taps, y.padBefore, y.outputs, x.extent, x.taps, x.padBefore, x.outputs});
      if (isNew) {
        const std::optional<uint64_t> cycles = arrayCycles(layerOf({.row = row, .column = column}), placement);
        if (!cycles)
          return std::nullopt;
        entry->second = *cycles;
      }
      sum += entry->second;
    }
  return sum * division.images * division.groups;
}

FailureOr<Value> DividedConv::create(Placement &placement) const {
  std::map<std::vector<int64_t>, MacConstants> known; // by what tells weights apart
  const auto createPiece = [&](const Number &number) -> FailureOr<Value> {
    const AxisPiece &y = division.rows[number.row], &x = division.columns[number.column];
    const MacLayer layer = layerOf(number);
    const std::vector<int64_t> key{number.group, y.firstTap, y.taps, x.firstTap, x.taps};
    if (!known.contains(key)) {
      FailureOr<MacConstants> constants = createMacConstants(layer, placement);
      if (failed(constants))
        return failure();
      known.emplace(key, *constants);
    }
    return createMacLayer(layer, known.at(key), placement);
  };
  /// The results of `count` pieces along an axis, made by `make` from their numbers.
  const auto along = [&](unsigned axis, bool isInterleaved, size_t count, auto make) -> FailureOr<Value> {
    SmallVector<Value> values;
    for (size_t index = 0; index < count; ++index) {
      FailureOr<Value> value = make(index);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    return placeArrayResults(whole.op, values, axis, isInterleaved, placement);
  };
  return along(0, false, division.images, [&](int64_t image) {
    return along(0, true, division.rows.size(), [&](size_t row) {
      return along(1, true, division.columns.size(), [&](size_t column) {
        return along(2, false, division.groups,
                     [&](int64_t group) { return createPiece({image, group, row, column}); });
      });
    });
  });
}

} // namespace avocet::compiler
