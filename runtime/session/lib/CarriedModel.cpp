//===- CarriedModel.cpp - A TFLite file as a model of the HAL -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/CarriedModel.h"
#include "avocet/session/Session.h"

#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"

namespace avocet::session {
namespace {

using hal::OperandLifeTime;
using hal::OperandType;

constexpr uint16_t kPrefix = 1;

uint32_t add(hal::Model &model, hal::Operand operand) {
  model.main.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(model.main.operands.size() - 1);
}

uint32_t addTensor(hal::Model &model, const cache::OperandView &view, OperandLifeTime lifetime) {
  const float scale = view.scales.empty() ? 0 : view.scales[0];
  const int32_t zeroPoint = view.zeroPoints.empty() ? 0 : view.zeroPoints[0];
  hal::Operand operand = hal::tfliteOperand(view.type, view.shape, scale, zeroPoint);
  operand.lifetime = lifetime;
  return add(model, std::move(operand));
}

uint32_t addFile(hal::Model &model, std::span<const uint8_t> file) {
  model.operandValues.assign(file.begin(), file.end());
  hal::Operand operand;
  operand.type = OperandType::TensorQuant8Asymm;
  operand.scale = 1;
  operand.dimensions = {static_cast<uint32_t>(file.size())};
  operand.lifetime = OperandLifeTime::ConstantCopy;
  operand.location = {0, 0, file.size(), 0};
  return add(model, std::move(operand));
}

} // namespace

hal::Model carriedModel(std::span<const uint8_t> file, const cache::ModelCache &compiled) {
  hal::Model model;
  model.extensionNameToPrefix = {{std::string(hal::kTfliteExtension), kPrefix}};
  hal::Operation network{hal::extensionOperation(kPrefix, hal::kTfliteNetwork), {addFile(model, file)}, {}};
  for (size_t i = 0; i < numOwnInputs(compiled); ++i)
    model.main.inputIndexes.push_back(addTensor(model, compiled.input(i), OperandLifeTime::SubgraphInput));
  for (size_t i = 0; i < numOwnOutputs(compiled); ++i)
    model.main.outputIndexes.push_back(addTensor(model, compiled.output(i), OperandLifeTime::SubgraphOutput));
  network.inputs.insert(network.inputs.end(), model.main.inputIndexes.begin(), model.main.inputIndexes.end());
  network.outputs = model.main.outputIndexes;
  model.main.operations.push_back(std::move(network));
  return model;
}

} // namespace avocet::session
