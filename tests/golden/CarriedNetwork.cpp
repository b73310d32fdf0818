//===- CarriedNetwork.cpp - A network inside the TFLite extension -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedNetwork.h"

#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"

namespace avocet::golden {
namespace {

constexpr uint16_t kPrefix = 1;

hal::Operand operandOf(const cache::OperandView &view, hal::OperandLifeTime lifetime) {
  const float scale = view.scales.empty() ? 0 : view.scales[0];
  const int32_t zeroPoint = view.zeroPoints.empty() ? 0 : view.zeroPoints[0];
  hal::Operand operand = hal::tfliteOperand(view.type, view.shape, scale, zeroPoint);
  operand.lifetime = lifetime;
  return operand;
}

uint32_t add(hal::Model &model, hal::Operand operand) {
  model.main.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(model.main.operands.size() - 1);
}

} // namespace

hal::Model carriedNetwork(std::span<const uint8_t> file, const cache::ModelCache &network) {
  hal::Model model;
  model.extensionNameToPrefix = {{std::string(hal::kTfliteExtension), kPrefix}};
  model.operandValues.assign(file.begin(), file.end());
  hal::Operand bytes;
  bytes.type = hal::OperandType::TensorQuant8Asymm;
  bytes.scale = 1;
  bytes.dimensions = {static_cast<uint32_t>(file.size())};
  bytes.lifetime = hal::OperandLifeTime::ConstantCopy;
  bytes.location = {0, 0, file.size(), 0};
  hal::Operation operation{hal::extensionOperation(kPrefix, hal::kTfliteNetwork), {add(model, std::move(bytes))}, {}};
  for (size_t i = 0; i < network.numInputs() - network.numStates(); ++i)
    model.main.inputIndexes.push_back(add(model, operandOf(network.input(i), hal::OperandLifeTime::SubgraphInput)));
  for (size_t i = 0; i < network.numOutputs() - network.numStates(); ++i)
    model.main.outputIndexes.push_back(add(model, operandOf(network.output(i), hal::OperandLifeTime::SubgraphOutput)));
  operation.inputs.insert(operation.inputs.end(), model.main.inputIndexes.begin(), model.main.inputIndexes.end());
  operation.outputs = model.main.outputIndexes;
  model.main.operations.push_back(std::move(operation));
  return model;
}

} // namespace avocet::golden
