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
//
//===----------------------------------------------------------------------===//

#include "window/PoolWork.h"

#include "common/DspKernel.h"
#include "common/FeatureMapView.h"

#include <algorithm>

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

/// The loops that reduce `taps` elements to each result of a row.
std::vector<LineLoops> rowLoops(const FeatureMap &output, uint64_t rows, uint64_t taps, uint32_t stride) {
  const uint64_t gather = stride == 1 ? 1 : 2;
  return {{rows * output.width, output.channels, taps},
          {rows, uint64_t(output.width) * output.channels, gather * taps}};
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
  const auto add = [&](std::vector<LineLoops> lines) {
    DspLoops loops;
    loops.type = type;
    loops.lines = std::move(lines);
    work.others.push_back(std::move(loops));
  };
  for (const LineLoops &row : rowLoops(output, output.height, taps * each, window.strideWidth))
    add({row});
  if (parameters.kind != WindowPoolKind::Max && isFloat(input.type))
    return work;
  const LineLoops columns{output.height, uint64_t(input.width) * input.channels, window.kernelHeight};
  for (const LineLoops &row : rowLoops(output, output.height, window.kernelWidth, window.strideWidth))
    add({columns, row});
  work.groups = std::max<uint64_t>(output.height, input.height / parameters.batch);
  return work;
}

} // namespace avocet::kernels
