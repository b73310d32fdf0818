//===- CarriedNetwork.cpp - A file as a model of the HAL --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/driver/CarriedNetwork.h"

#include "avocet/hal/driver/OnnxExtension.h"
#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"

#include <string>
#include <utility>

namespace avocet::hal {
namespace {

constexpr uint16_t kPrefix = 1;

uint32_t add(Model &model, Operand operand, OperandLifeTime lifetime) {
  operand.lifetime = lifetime;
  model.main.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(model.main.operands.size() - 1);
}

/// The first bytes of the operand values, or of pool 0.
Operand operandOfBytes(uint64_t size) {
  Operand bytes;
  bytes.type = OperandType::TensorQuant8Asymm;
  bytes.scale = 1;
  bytes.dimensions = {static_cast<uint32_t>(size)};
  bytes.location = {0, 0, size, 0};
  return bytes;
}

} // namespace

Operand carriedOperand(CarriedFormat format, const cache::OperandView &operand) {
  if (format == CarriedFormat::Onnx)
    return onnxOperand(operand.type, operand.shape);
  const float scale = operand.scales.empty() ? 0 : operand.scales[0];
  const int32_t zeroPoint = operand.zeroPoints.empty() ? 0 : operand.zeroPoints[0];
  return tfliteOperand(operand.type, operand.shape, scale, zeroPoint);
}

Model carriedModel(CarriedNetwork network) {
  Model model;
  const bool isOnnx = network.format == CarriedFormat::Onnx;
  model.extensionNameToPrefix = {{std::string(isOnnx ? kOnnxExtension : kTfliteExtension), kPrefix}};
  Operation operation{extensionOperation(kPrefix, isOnnx ? kOnnxNetwork : kTfliteNetwork), {}, {}};
  operation.inputs = {add(model, operandOfBytes(network.file.size()), OperandLifeTime::ConstantCopy)};
  model.operandValues = std::move(network.file);
  if (network.constants != nullptr) {
    operation.inputs.push_back(add(model, operandOfBytes(network.constantBytes), OperandLifeTime::ConstantReference));
    model.pools = {std::move(network.constants)};
  }
  for (Operand &input : network.inputs)
    model.main.inputIndexes.push_back(add(model, std::move(input), OperandLifeTime::SubgraphInput));
  for (Operand &output : network.outputs)
    model.main.outputIndexes.push_back(add(model, std::move(output), OperandLifeTime::SubgraphOutput));
  operation.inputs.insert(operation.inputs.end(), model.main.inputIndexes.begin(), model.main.inputIndexes.end());
  operation.outputs = model.main.outputIndexes;
  model.main.operations.push_back(std::move(operation));
  return model;
}

} // namespace avocet::hal
