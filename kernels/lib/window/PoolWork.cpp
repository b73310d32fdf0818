//===- PoolWork.cpp - Loops of pools ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is in each lane, and a loop runs over its window: along the channels of a pixel, or along the row of
// results, whose elements lie next to each other if the stride is 1 and are gathered if not. If the order does not
// matter, windows are reduced in two steps: rows of the input to a row of maxima or sums, and this row to the results.
// Each step takes the windows one by one, or slides along the axis: a maximum is that of two windows of half the size,
// whose results wait in a delay line; a sum adds the next element and subtracts the last one. Loops over few taps are
// unrolled.
//
//===----------------------------------------------------------------------===//

#include "window/PoolWork.h"

#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/ReductionWork.h"

#include <algorithm>
#include <bit>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// A sum has one register of twice the width for each half of the elements.
DataType sumType(DataType type) { return type == DataType::Int16 ? DataType::Int32 : DataType::Int16; }

DataType typeOf(WindowPoolKind kind, DataType type) {
  if (isFloat(type))
    return DataType::Float32;
  return kind == WindowPoolKind::Max ? type : sumType(type);
}

/// Taps of an unrolled loop.
constexpr uint64_t kMostUnrolled = 8;
/// Loading from a delay line and storing to it.
constexpr uint64_t kDelayOps = 2;

/// One axis of the windows.
struct PoolAxis {
  uint64_t input, output, taps, stride;
};

/// Instructions for each step of a window that slides.
uint64_t slidingOps(WindowPoolKind kind, uint64_t taps) {
  return kind == WindowPoolKind::Max ? uint64_t(std::bit_width(taps)) + kDelayOps : kDelayOps + 2;
}

DspLoops inLanes(DataType type, LineLoops lines) {
  DspLoops loops;
  loops.type = type;
  loops.lines = {lines};
  return loops;
}

/// Loops with `ops` instructions for each of `elements` results in `rows` rows.
DspLoops unrolled(DataType type, uint64_t rows, uint64_t elements, uint64_t ops) {
  DspLoops loops;
  loops.type = type;
  loops.rows = rows;
  loops.elementOps = elements * ops;
  return loops;
}

/// Reduces all taps of a row of windows.
std::vector<DspLoops> rowForms(DataType type, const FeatureMap &output, uint64_t taps, uint64_t stride, uint64_t ops) {
  const uint64_t rows = output.height, row = uint64_t(output.width) * output.channels;
  const uint64_t gathered = stride == 1 ? ops : ops + 1;
  std::vector<DspLoops> forms = {inLanes(type, {rows * output.width, output.channels, taps * ops}),
                                 inLanes(type, {rows, row, taps * gathered})};
  if (taps <= kMostUnrolled)
    forms.push_back(unrolled(type, rows, rows * row, taps * gathered));
  return forms;
}

/// Reduces columns of windows, for rows of `row` elements.
std::vector<DspLoops> columnForms(DataType type, WindowPoolKind kind, const PoolAxis &axis, uint64_t row) {
  std::vector<DspLoops> forms = {inLanes(type, {axis.output, row, axis.taps}),
                                 inLanes(type, {1, row, axis.input * slidingOps(kind, axis.taps)})};
  if (axis.taps <= kMostUnrolled)
    forms.push_back(unrolled(type, axis.output, axis.output * row, axis.taps));
  return forms;
}

/// Reduces rows of windows of reduced columns.
std::vector<DspLoops> reducedRowForms(DataType type, WindowPoolKind kind, const PoolAxis &axis,
                                      const FeatureMap &output) {
  std::vector<DspLoops> forms = rowForms(type, output, axis.taps, axis.stride, 1);
  const uint64_t sliding = slidingOps(kind, axis.taps), rows = output.height;
  forms.push_back(inLanes(type, {rows, output.channels, axis.input * sliding}));
  forms.push_back(inLanes(type, {1, rows * output.channels, axis.input * (sliding + exchangeOps(type))}));
  return forms;
}

DspLoops operator+(DspLoops a, const DspLoops &b) {
  a.elementOps += b.elementOps;
  a.rows += b.rows;
  a.lines.insert(a.lines.end(), b.lines.begin(), b.lines.end());
  return a;
}

} // namespace

DspWork poolWork(const DspCommand &command, const WindowPoolParameters &parameters) {
  const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  const Window &window = parameters.window;
  const bool isL2 = parameters.kind == WindowPoolKind::L2;
  const uint64_t each = isL2 ? 2 : 1, taps = uint64_t(window.kernelHeight) * window.kernelWidth;
  const DataType type = typeOf(parameters.kind, input.type);
  DspWork work = elementWork(command, 0, type);
  work.elementOps = elementCount(output) * taps * each;
  work.rows = uint64_t(output.height) * output.width * taps;
  work.others = rowForms(type, output, taps, window.strideWidth, each);
  if (parameters.kind != WindowPoolKind::Max && isFloat(input.type)) // sums of reals have one order
    return work;
  const PoolAxis rows{input.height, output.height, window.kernelHeight, window.strideHeight},
      columns{input.width, output.width, window.kernelWidth, window.strideWidth};
  for (const DspLoops &first : columnForms(type, parameters.kind, rows, uint64_t(input.width) * input.channels))
    for (const DspLoops &second : reducedRowForms(type, parameters.kind, columns, output))
      work.others.push_back(first + second);
  work.groups = std::max<uint64_t>(output.height, input.height / parameters.batch);
  return work;
}

} // namespace avocet::kernels
