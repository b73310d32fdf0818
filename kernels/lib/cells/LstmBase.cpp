//===- LstmBase.cpp - Operands and rules of LSTM cells -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cells/LstmBase.h"

#include "common/FeatureMapView.h"

namespace avocet::kernels {

using namespace firmware;
using namespace lstm;

LstmCellLayout::LstmCellLayout(uint32_t parts) : gates(parts & kLstmInputGate ? 4 : 3) {
  auto of = [parts](LstmCellPart part, uint32_t operands) { return parts & part ? operands : 0; };
  recurrentWeights = inputWeights + gates;
  peepholes = recurrentWeights + gates;
  biases = peepholes + of(kLstmPeepholes, gates - 1);
  projection = biases + gates;
  projectionBias = projection + of(kLstmProjection, 1);
  layerNorm = projectionBias + of(kLstmProjectionBias, 1);
  count = layerNorm + of(kLstmLayerNorm, gates);
}

namespace {

/// Shapes of an LSTM's operands, from those of its states and its input.
class LstmRules {
public:
  LstmRules(const DspCommand &command, uint32_t parts, StepOrder order, const LstmCellTypes &types)
      : command_(command), layout_(parts), hasProjection_(parts & kLstmProjection), order_(order), types_(types),
        batch_(SequenceShape(command.inputs[kInput], order).batch), features_(command.inputs[kInput].channels),
        outputs_(command.inputs[kOutputState].channels), cells_(command.inputs[kCellState].channels) {}

  Status check() const {
    if (command_.inputs.size() != layout_.count)
      return ruleBroken("input operands", command_.inputs.size(), std::to_string(layout_.count) + " for these parts");
    AVOCET_RETURN_IF_ERROR(checkType("input0", command_.inputs[kInput].type, {types_.sequence}));
    AVOCET_RETURN_IF_ERROR(checkSequences(order_, command_.inputs[kInput], command_.outputs[kOutput], outputs_));
    if (!hasProjection_)
      AVOCET_RETURN_IF_ERROR(checkEqual("input1.channels", outputs_, "the number of cells", cells_));
    AVOCET_RETURN_IF_ERROR(checkStates());
    AVOCET_RETURN_IF_ERROR(checkWeights());
    return checkVectors();
  }

private:
  Status output(uint32_t index, DataType type, uint64_t columns) const {
    return checkMatrix("output" + std::to_string(index), command_.outputs[index], type, batch_, columns);
  }
  Status group(DataType type, uint32_t first, uint32_t end, uint64_t rows, uint64_t columns) const {
    for (uint32_t index = first; index < end; ++index)
      AVOCET_RETURN_IF_ERROR(checkMatrix("input" + std::to_string(index), command_.inputs[index], type, rows, columns));
    return Status::ok();
  }

  Status checkStates() const {
    AVOCET_RETURN_IF_ERROR(group(types_.sequence, kOutputState, kCellState, batch_, outputs_));
    AVOCET_RETURN_IF_ERROR(group(types_.cell, kCellState, layout_.inputWeights, batch_, cells_));
    AVOCET_RETURN_IF_ERROR(output(kGatesOut, types_.cell, uint64_t(layout_.gates) * cells_));
    AVOCET_RETURN_IF_ERROR(output(kOutputStateOut, types_.sequence, outputs_));
    return output(kCellStateOut, types_.cell, cells_);
  }

  Status checkWeights() const {
    AVOCET_RETURN_IF_ERROR(group(types_.weights, layout_.inputWeights, layout_.recurrentWeights, cells_, features_));
    AVOCET_RETURN_IF_ERROR(group(types_.weights, layout_.recurrentWeights, layout_.peepholes, cells_, outputs_));
    return group(types_.weights, layout_.projection, layout_.projectionBias, outputs_, cells_);
  }

  Status checkVectors() const {
    AVOCET_RETURN_IF_ERROR(group(types_.cell, layout_.peepholes, layout_.biases, 1, cells_));
    AVOCET_RETURN_IF_ERROR(group(types_.bias, layout_.biases, layout_.projection, 1, cells_));
    AVOCET_RETURN_IF_ERROR(group(types_.bias, layout_.projectionBias, layout_.layerNorm, 1, outputs_));
    return group(types_.cell, layout_.layerNorm, layout_.count, 1, cells_);
  }

  const DspCommand &command_;
  LstmCellLayout layout_;
  bool hasProjection_;
  StepOrder order_;
  LstmCellTypes types_;
  uint32_t batch_, features_, outputs_, cells_;
};

} // namespace

OperandCount LstmBase::inputCount() const { return {LstmCellLayout(0).count, LstmCellLayout(kLstmAllParts).count}; }

Status LstmBase::checkParts(uint32_t parts) {
  if (parts > kLstmAllParts)
    return ruleBroken("parts", parts, "bits of LstmCellPart");
  if ((parts & kLstmProjectionBias) && !(parts & kLstmProjection))
    return ruleBroken("parts", parts, "without a projection bias where there is no projection");
  return Status::ok();
}

Status LstmBase::checkShapes(const DspCommand &command, uint32_t parts, StepOrder order, const LstmCellTypes &types) {
  return LstmRules(command, parts, order, types).check();
}

DspWork LstmBase::work(const DspCommand &command) const {
  const uint32_t parts = partsOfCell(command);
  const LstmCellLayout layout(parts);
  const FeatureMap &input = command.inputs[kInput];
  const uint64_t steps = uint64_t(input.height) * input.width, gates = command.outputs[kGatesOut].channels;
  DspWork work = elementWork(command, 0, lanes_);
  work.groups = steps;
  for (uint32_t index = layout.inputWeights; index < layout.peepholes; ++index)
    addProducts(command.inputs[index], steps, work);
  if (parts & kLstmProjection)
    addProducts(command.inputs[layout.projection], steps, work);
  uint64_t ops = opsPerGate_ * gates;
  ops += (parts & kLstmPeepholes ? 2 : 0) * gates + (parts & kLstmLayerNorm ? 12 : 0) * gates;
  if (input.type != command.inputs[layout.inputWeights].type)
    ops += kRoundingOps * (input.channels + command.inputs[kOutputState].channels);
  work.elementOps += ops * steps;
  return work;
}

uint32_t LstmBase::partsOf(const DspCommand &command) const {
  return sequenceParts(command.inputs[kInput], orderOf(command));
}

DspCommand LstmBase::partOf(const DspCommand &command, uint32_t first, uint32_t count) const {
  const StepOrder order = orderOf(command);
  DspCommand part = sequencePart(
      command, order, {kInput, kOutput, {{kOutputState, kOutputStateOut}, {kCellState, kCellStateOut}}}, first, count);
  if (SequenceShape(command.inputs[kInput], order).batch > 1)
    part.outputs[kGatesOut] = sliceOf(command.outputs[kGatesOut], MapAxis::Columns, first, count);
  return part;
}

} // namespace avocet::kernels
