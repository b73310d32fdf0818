//===- ReduceShape.cpp - Elements that a reduction combines -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "reduce/ReduceShape.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

static bool isReduced(const ReduceParameters &parameters, uint32_t axis) { return parameters.reducedAxes >> axis & 1; }

Status checkReduceShape(const ReduceParameters &parameters, uint64_t input, uint64_t output) {
  if (parameters.rank < 1 || parameters.rank > ReduceParameters::kMaxAxes)
    return ruleBroken("rank", parameters.rank, "1 to 8");
  uint64_t elements = 1, kept = 1;
  for (uint32_t axis = 0; axis < parameters.rank; ++axis) {
    uint32_t extent = parameters.extents[axis];
    if (extent == 0 || extent > input / elements)
      return ruleBroken("extent", extent, "1 or more, and all together the input's elements of a row");
    elements *= extent;
    kept *= isReduced(parameters, axis) ? 1 : extent;
  }
  AVOCET_RETURN_IF_ERROR(checkEqual("elements of the shape", elements, "a row of input0", input));
  return checkEqual("elements of the reduced shape", kept, "a row of output0", output);
}

uint64_t reducedElements(const ReduceParameters &parameters) {
  uint64_t elements = 1;
  for (uint32_t axis = 0; axis < std::min(parameters.rank, ReduceParameters::kMaxAxes); ++axis)
    elements *= isReduced(parameters, axis) ? 1 : parameters.extents[axis];
  return elements;
}

static uint32_t outermostOf(const ReduceParameters &parameters) {
  uint32_t axis = 0;
  while (axis + 1 < parameters.rank && parameters.extents[axis] == 1)
    ++axis;
  return axis;
}

bool isReducedMatrix(const ReduceParameters &parameters, const DspCommand &command) {
  const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  return parameters.rank == 2 && parameters.reducedAxes == 1 && output.height == 1 &&
         input.height == parameters.extents[0] && input.channels == parameters.extents[1];
}

/// Whether only the outermost axis of a row is reduced.
static bool reducesOutermost(const ReduceParameters &parameters) {
  const uint32_t outermost = outermostOf(parameters);
  for (uint32_t axis = outermost + 1; axis < parameters.rank; ++axis)
    if (isReduced(parameters, axis) && parameters.extents[axis] > 1)
      return false;
  return isReduced(parameters, outermost);
}

uint32_t reduceParts(const ReduceParameters &parameters, const DspCommand &command) {
  if (reducesOutermost(parameters))
    return command.outputs[0].channels;
  const uint32_t axis = outermostOf(parameters);
  return isReduced(parameters, axis) ? 1 : parameters.extents[axis];
}

void selectReduced(DspCommand &command, ReduceParameters &parameters, uint32_t first, uint32_t count) {
  FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  uint32_t &extent = parameters.extents[outermostOf(parameters)];
  if (reducesOutermost(parameters)) {
    const uint32_t reduced = extent;
    input = matrixColumns(input, reduced, output.channels, first, count);
    output = sliceOf(output, MapAxis::Channels, first, count);
    parameters.rank = 2;
    parameters.extents = {reduced, count};
    parameters.reducedAxes = 1;
  } else if (extent > 1) {
    const uint32_t elements = input.channels / extent, results = output.channels / extent;
    input = sliceOf(input, MapAxis::Channels, first * elements, count * elements);
    output = sliceOf(output, MapAxis::Channels, first * results, count * results);
    extent = count;
  }
}

std::vector<ReducedAxis> reducedAxes(const ReduceParameters &parameters, const DspCommand &command) {
  std::vector<ReducedAxis> axes;
  if (!isReducedMatrix(parameters, command))
    axes.push_back({command.inputs[0].height, false});
  for (uint32_t axis = 0; axis < parameters.rank; ++axis)
    axes.push_back({parameters.extents[axis], isReduced(parameters, axis)});
  return axes;
}

ReduceCursor::ReduceCursor(const ReduceParameters &parameters) : parameters_(parameters) {
  uint32_t stride = 1;
  for (uint32_t axis = parameters.rank; axis-- > 0;) {
    strides_[axis] = isReduced(parameters, axis) ? 0 : stride;
    stride *= isReduced(parameters, axis) ? 1 : parameters.extents[axis];
  }
}

void ReduceCursor::advance() {
  for (uint32_t axis = parameters_.rank - 1; axis-- > 0;) {
    result_ += strides_[axis];
    if (++position_[axis] < parameters_.extents[axis])
      return;
    result_ -= uint64_t(strides_[axis]) * parameters_.extents[axis];
    position_[axis] = 0;
  }
}

} // namespace avocet::kernels
