//===- TfliteModel.cpp - Models of the TFLite extension -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/TfliteModel.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <fmt/core.h>
#include <span>

namespace avocet::hal {

static OperandType operandTypeOf(firmware::DataType type) {
  switch (type) {
  case firmware::DataType::Int8:
    return OperandType::TensorQuant8AsymmSigned;
  case firmware::DataType::UInt8:
    return OperandType::TensorQuant8Asymm;
  case firmware::DataType::Int16:
    return OperandType::TensorQuant16Symm;
  case firmware::DataType::UInt16:
    return OperandType::TensorQuant16Asymm;
  case firmware::DataType::Float16:
    return OperandType::TensorFloat16;
  case firmware::DataType::Bool8:
    return OperandType::TensorBool8;
  case firmware::DataType::Float32:
    return OperandType::TensorFloat32;
  case firmware::DataType::Int32:
  case firmware::DataType::Int64:
  case firmware::DataType::BFloat16: // which no operand of NNAPI has
    break;
  }
  return OperandType::TensorInt32;
}

static bool needsScale(OperandType type) {
  return type == OperandType::TensorQuant8AsymmSigned || type == OperandType::TensorQuant8Asymm ||
         type == OperandType::TensorQuant16Symm || type == OperandType::TensorQuant16Asymm;
}

Operand tfliteOperand(firmware::DataType type, std::span<const int32_t> shape, float scale, int32_t zeroPoint) {
  Operand operand;
  operand.type = operandTypeOf(type);
  operand.dimensions.assign(shape.begin(), shape.end());
  if (shape.empty())
    operand.dimensions = {1};
  if (type == firmware::DataType::Int64)
    operand.dimensions.push_back(2);
  operand.scale = scale == 0 && needsScale(operand.type) ? 1.0f : scale;
  operand.zeroPoint = zeroPoint;
  return operand;
}

namespace {

std::optional<OperationType> networkCode(const Model &model) {
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    if (extension.name == kTfliteExtension)
      return extensionOperation(extension.prefix, kTfliteNetwork);
  return std::nullopt;
}

bool isFile(const Operand &operand) {
  bool isConstant =
      operand.lifetime == OperandLifeTime::ConstantCopy || operand.lifetime == OperandLifeTime::ConstantReference;
  return isConstant && operand.type == OperandType::TensorQuant8Asymm && operand.dimensions.size() == 1;
}

/// Whether the operation is the whole model, with the model's inputs and outputs in order.
bool isWholeModel(const Model &model, const Operation &operation) {
  return model.main.operations.size() == 1 && model.referenced.empty() && !operation.inputs.empty() &&
         isFile(model.main.operands[operation.inputs[0]]) && operation.outputs == model.main.outputIndexes &&
         std::equal(operation.inputs.begin() + 1, operation.inputs.end(), model.main.inputIndexes.begin(),
                    model.main.inputIndexes.end());
}

bool isDeclaredAs(const Operand &declared, const cache::OperandView &network) {
  const float scale = network.scales.empty() ? 0 : network.scales[0];
  const int32_t zeroPoint = network.zeroPoints.empty() ? 0 : network.zeroPoints[0];
  const Operand expected = tfliteOperand(network.type, network.shape, scale, zeroPoint);
  return declared.type == expected.type && declared.scale == expected.scale &&
         declared.zeroPoint == expected.zeroPoint && declared.dimensions == expected.dimensions;
}

template <typename View>
Outcome checkList(const Model &model, std::string_view kind, std::span<const uint32_t> declared, size_t count,
                  View &&view) {
  if (declared.size() != count)
    return invalidArgument(fmt::format("model: has {} {}s, its network {}", declared.size(), kind, count));
  for (size_t i = 0; i < count; ++i)
    if (!isDeclaredAs(model.main.operands[declared[i]], view(i)))
      return invalidArgument(fmt::format("model: {} {} (operand {}) is declared with another type, shape or scale than "
                                         "'{}' of its network has",
                                         kind, i, declared[i], view(i).name));
  return success();
}

} // namespace

Result<std::optional<uint32_t>> tfliteFileOf(const Model &model) {
  std::optional<OperationType> code = networkCode(model);
  auto isNetwork = [&](const Operation &operation) { return code && operation.type == *code; };
  auto network = std::find_if(model.main.operations.begin(), model.main.operations.end(), isNetwork);
  if (network == model.main.operations.end())
    return std::optional<uint32_t>();
  if (!isWholeModel(model, *network))
    return generalFailure(
        fmt::format("model: an operation of {} is the only one of its model, has the constant bytes of "
                    "a file first, and then the model's inputs and outputs in their order",
                    kTfliteExtension));
  return std::optional<uint32_t>(network->inputs[0]);
}

Outcome checkTfliteOperands(const Model &model, const cache::ModelCache &network) {
  const bool declaresStates = model.main.inputIndexes.size() == network.numInputs();
  const size_t states = declaresStates ? 0 : network.numStates();
  AVOCET_RETURN_IF_ERROR(checkList(model, "input", model.main.inputIndexes, network.numInputs() - states,
                                   [&](size_t i) { return network.input(i); }));
  return checkList(model, "output", model.main.outputIndexes, network.numOutputs() - states,
                   [&](size_t i) { return network.output(i); });
}

} // namespace avocet::hal
