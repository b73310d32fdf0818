//===- Lines.cpp - Lines along one axis of a map --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Lines.h"

#include "common/LineSteps.h"

#include <cmath>

namespace avocet::kernels {

using namespace firmware;

static Status checkExtents(const AxisExtents &extents, const FeatureMap &map) {
  const uint64_t elements = elementCount(map);
  const uint64_t planes = uint64_t(extents.outer) * extents.axis;
  // The comparison before the second product keeps it within 64 bits.
  if (planes > 0 && planes <= elements && extents.inner == elements / planes && elements % planes == 0)
    return Status::ok();
  return ruleBroken("axis", extents.axis,
                    "an extent that with outer and inner gives the " + std::to_string(elements) + " elements");
}

bool linesAreColumns(const AxisExtents &extents, const FeatureMap &map) {
  return extents.outer == 1 && map.height == extents.axis && map.width == 1 && map.channels == extents.inner;
}

Status checkLines(const DspCommand &command, const AxisExtents &extents) {
  const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  AVOCET_RETURN_IF_ERROR(checkSameShape("output0", output, "input0", input));
  if (extents.linesArePixels()) {
    AVOCET_RETURN_IF_ERROR(checkEqual("axis", extents.axis, "input0.channels", input.channels));
    return checkEqual("inner", extents.inner, "that of pixels", 1);
  }
  if (linesAreColumns(extents, input))
    return Status::ok();
  AVOCET_RETURN_IF_ERROR(checkDense("input0.rowStride", input));
  AVOCET_RETURN_IF_ERROR(checkDense("output0.rowStride", output));
  return checkExtents(extents, input);
}

uint32_t linePartsOf(const DspCommand &command, const AxisExtents &extents) {
  if (!extents.linesArePixels())
    return extents.outer > 1 ? extents.outer : extents.inner;
  const FeatureMap &output = command.outputs[0];
  return output.height > 1 ? output.height : output.width;
}

static FeatureMap partOfLines(const FeatureMap &map, const AxisExtents &extents, uint32_t first, uint32_t count) {
  if (extents.linesArePixels())
    return map.height > 1 ? sliceOf(map, MapAxis::Rows, first, count) : pixelsAsRows(map, first, count);
  if (extents.outer > 1)
    return denseSlices(map, uint64_t(extents.axis) * extents.inner, first, count);
  return matrixColumns(map, extents.axis, extents.inner, first, count);
}

void selectLines(DspCommand &command, AxisExtents &extents, uint32_t first, uint32_t count) {
  for (FeatureMap *map : {&command.inputs[0], &command.outputs[0]})
    *map = partOfLines(*map, extents, first, count);
  if (extents.outer > 1)
    extents.outer = count;
  else if (!extents.linesArePixels())
    extents.inner = count;
}

/// The states are one row with kLineStateWords words for each line.
static Status checkStates(std::string_view name, const FeatureMap &map, const AxisExtents &extents) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {DataType::Int32}));
  return checkDenseCount(name, map, {extents.outer, extents.inner, kLineStateWords});
}

Status checkLineStep(const DspCommand &command, const AxisExtents &extents, const LineStep &step, uint32_t passes) {
  const FeatureMap &output = command.outputs[0];
  if (step.pass > passes || passes == 0)
    return ruleBroken("pass", step.pass, "at most " + std::to_string(passes));
  if (step.isFirst > 1 || (step.isFirst && step.pass > 0))
    return ruleBroken("isFirst", step.isFirst, "0, or 1 in pass 0");
  if (step.length < extents.axis)
    return ruleBroken("length", step.length, "at least axis, " + std::to_string(extents.axis));
  AVOCET_RETURN_IF_ERROR(checkEqual("input operands", command.inputs.size(), "that of a section", 2 - step.isFirst));
  AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", command.inputs[0], {extents.outer, extents.axis, extents.inner}));
  if (!step.isFirst)
    AVOCET_RETURN_IF_ERROR(checkStates("input1", command.inputs[1], extents));
  if (step.pass < passes)
    return checkStates("output0", output, extents);
  AVOCET_RETURN_IF_ERROR(checkSameShape("output0", output, "input0", command.inputs[0]));
  return checkDense("output0", output);
}

Status checkFloatLines(const DspCommand &command) {
  AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float16, DataType::Float32}));
  return checkType("output0", command.outputs[0].type, {command.inputs[0].type});
}

Status checkFinite(std::string_view name, float value) {
  return std::isfinite(value) ? Status::ok() : invalidArgument(std::string(name) + " must be finite");
}

} // namespace avocet::kernels
