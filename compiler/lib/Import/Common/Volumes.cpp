//===- Volumes.cpp - Volumes as images --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Volumes.h"

#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

Value volumesAsImages(ImportedOperation &op, Value volumes, const DepthWindows &windows) {
  Amounts amounts{SmallVector<int64_t>(5, 0), SmallVector<int64_t>(5, 0)};
  amounts.low[1] = windows.before;
  amounts.high[1] = windows.after;
  volumes = pad(op, volumes, amounts);
  if (!volumes)
    return {};
  SmallVector<int64_t> shape(shapeOf(volumes));
  const int64_t last = (windows.kernel - 1) * windows.dilation + (windows.count - 1) * windows.stride;
  if (windows.count < 1 || last >= shape[1])
    return op.malformed("has windows that reach to the depth step " + Twine(last) + " of " + Twine(shape[1]));
  shape[1] = windows.count;
  SmallVector<Value> steps;
  for (int64_t tap = 0; tap < windows.kernel; ++tap)
    steps.push_back(slice(op, volumes, {0, tap * windows.dilation, 0, 0, 0}, shape, {1, windows.stride, 1, 1, 1}));
  Value stacked = steps.size() == 1 ? steps.front() : concatenate(op, steps, 4);
  return reshape(op, stacked, {shape[0] * shape[1], shape[2], shape[3], windows.kernel * shape[4]});
}

Value volumesFilter(ImportedOperation &op, Value filter) {
  if (!filter)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(filter);
  return reshape(op, transpose(op, filter, {0, 2, 3, 1, 4}), {shape[0], shape[2], shape[3], shape[1] * shape[4]});
}

} // namespace avocet::compiler
