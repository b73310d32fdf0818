//===- WindowSections.cpp - Convolutions in sections of the sum -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "window/WindowSections.h"

namespace avocet::kernels {

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
