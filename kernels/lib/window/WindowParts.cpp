//===- WindowParts.cpp - Parts of commands with a window --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "window/WindowParts.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The names of the fields of one axis in a window.
struct AxisFields {
  uint32_t Window::*kernel, Window::*dilation, Window::*stride, Window::*pad;
};

const AxisFields &fieldsOf(MapAxis axis) {
  static constexpr AxisFields kRows{&Window::kernelHeight, &Window::dilationHeight, &Window::strideHeight,
                                    &Window::padTop};
  static constexpr AxisFields kColumns{&Window::kernelWidth, &Window::dilationWidth, &Window::strideWidth,
                                       &Window::padLeft};
  return axis == MapAxis::Rows ? kRows : kColumns;
}

} // namespace

void selectDirect(DspCommand &command, Window &window, MapAxis axis, uint32_t first, uint32_t count) {
  FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  const AxisFields &fields = fieldsOf(axis);
  const uint64_t pad = window.*fields.pad, stride = window.*fields.stride;
  const uint64_t reach = uint64_t(window.*fields.kernel - 1) * (window.*fields.dilation) + 1;
  const uint64_t begin = first * stride, end = begin + (count - 1) * stride + reach;
  const uint64_t from = begin > pad ? begin - pad : 0;
  const uint64_t to = std::min<uint64_t>(end > pad ? end - pad : 0, extentOf(input, axis));
  window.*fields.pad = begin < pad ? static_cast<uint32_t>(pad - begin) : 0;
  input = sliceOf(input, axis, static_cast<uint32_t>(from), static_cast<uint32_t>(to - from));
  output = sliceOf(output, axis, first, count);
}

/// Output o reads the inputs i with 0 <= o + pad - i * stride < kernel.
void selectTransposed(DspCommand &command, Window &window, MapAxis axis, uint32_t first, uint32_t count) {
  FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  const AxisFields &fields = fieldsOf(axis);
  const uint64_t position = uint64_t(first) + window.*fields.pad, stride = window.*fields.stride;
  const uint64_t kernel = window.*fields.kernel, last = extentOf(input, axis) - 1;
  const uint64_t reached = position < kernel ? 0 : (position - kernel) / stride + 1;
  const uint64_t from = std::min({reached, position / stride, last}); // steps may be longer than the kernel
  const uint64_t to = std::clamp<uint64_t>((position + count - 1) / stride, from, last) + 1;
  window.*fields.pad = static_cast<uint32_t>(position - from * stride);
  input = sliceOf(input, axis, static_cast<uint32_t>(from), static_cast<uint32_t>(to - from));
  output = sliceOf(output, axis, first, count);
}

void selectImages(DspCommand &command, uint32_t &batch, uint32_t first, uint32_t count) {
  for (FeatureMap *map : {&command.inputs[0], &command.outputs[0]}) {
    const uint32_t rows = map->height / batch;
    *map = sliceOf(*map, MapAxis::Rows, first * rows, count * rows);
  }
  batch = count;
}

using namespace firmware;

static Status checkState(std::string_view name, const FeatureMap &state, const FeatureMap &output, DataType features) {
  AVOCET_RETURN_IF_ERROR(
      checkType(name, state.type, {features == DataType::Int16 ? DataType::Int64 : DataType::Int32}));
  return checkSameShape(name, state, "output0", output);
}

Result<DspCommand> withoutStates(const DspCommand &command, const WindowConvParameters &parameters,
                                 const Section &section) {
  if (parameters.form != WindowConvForm::Dense || parameters.batch != 1)
    return invalidArgument("sections must be of form 0 with one image");
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
