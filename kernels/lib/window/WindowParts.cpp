//===- WindowParts.cpp - Parts of commands with a window --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "window/WindowParts.h"

#include "avocet/firmware_iface/WindowInputs.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

WindowSteps stepsOf(const Window &window, MapAxis axis) {
  return axis == MapAxis::Rows ? rowsOf(window) : columnsOf(window);
}

/// Narrows the output to [first, first + count), which reads `inputs`.
void selectPart(DspCommand &command, Window &window, MapAxis axis, uint32_t first, uint32_t count,
                const WindowInputs &inputs) {
  (axis == MapAxis::Rows ? window.padTop : window.padLeft) = static_cast<uint32_t>(inputs.pad);
  command.inputs[0] = sliceOf(command.inputs[0], axis, static_cast<uint32_t>(inputs.begin),
                              static_cast<uint32_t>(inputs.end - inputs.begin));
  command.outputs[0] = sliceOf(command.outputs[0], axis, first, count);
}

} // namespace

void selectDirect(DspCommand &command, Window &window, MapAxis axis, uint32_t first, uint32_t count) {
  const uint32_t extent = extentOf(command.inputs[0], axis);
  selectPart(command, window, axis, first, count,
             stepsOf(window, axis).inputsOf(first, uint64_t(first) + count, extent));
}

void selectTransposed(DspCommand &command, Window &window, MapAxis axis, uint32_t first, uint32_t count) {
  const uint32_t extent = extentOf(command.inputs[0], axis);
  selectPart(command, window, axis, first, count,
             stepsOf(window, axis).transposedInputsOf(first, uint64_t(first) + count, extent));
}

void selectImages(DspCommand &command, uint32_t &batch, uint32_t first, uint32_t count) {
  for (FeatureMap *map : {&command.inputs[0], &command.outputs[0]}) {
    const uint32_t rows = map->height / batch;
    *map = sliceOf(*map, MapAxis::Rows, first * rows, count * rows);
  }
  batch = count;
}

static Status checkState(std::string_view name, const FeatureMap &state, const FeatureMap &output, DataType features) {
  AVOCET_RETURN_IF_ERROR(
      checkType(name, state.type, {features == DataType::Int16 ? DataType::Int64 : DataType::Int32}));
  return checkSameShape(name, state, "output0", output);
}

Result<DspCommand> withoutStates(const DspCommand &command, const Section &section) {
  AVOCET_RETURN_IF_ERROR(checkSectionFields(section, 1));
  DspCommand whole = command;
  const DataType features = command.inputs[0].type;
  FeatureMap &output = whole.outputs[0];
  if (!section.isFirst) {
    AVOCET_RETURN_IF_ERROR(checkState("state", command.inputs.back(), output, features));
    whole.inputs.pop_back();
  }
  if (!section.isLast) {
    AVOCET_RETURN_IF_ERROR(checkState("output0", output, output, features));
    output.type = features;
  }
  return whole;
}

} // namespace avocet::kernels
