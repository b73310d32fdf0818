//===- NetworkModel.cpp - Whole networks of other formats -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/NetworkModel.h"

#include "avocet/hal/driver/CarriedNetwork.h"
#include "avocet/hal/driver/OnnxExtension.h"
#include "avocet/hal/driver/TfliteExtension.h"
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

Operand onnxOperand(firmware::DataType type, std::span<const int32_t> shape) {
  // No type of NNAPI is a bfloat16. Only the bytes count.
  const bool isBFloat16 = type == firmware::DataType::BFloat16;
  return tfliteOperand(isBFloat16 ? firmware::DataType::UInt16 : type, shape, /*scale=*/0, /*zeroPoint=*/0);
}

Operand onnxOutput(firmware::DataType type) {
  Operand operand = onnxOperand(type, {});
  operand.dimensions.clear();
  return operand;
}

namespace {

/// A format whose networks are the operation of an extension.
struct NetworkFormat {
  std::string_view extension;
  uint16_t operation;
  compiler::InputFormat format;
  bool hasPool; ///< constants may be an operand of their own
};
constexpr NetworkFormat kFormats[] = {
    {kTfliteExtension, kTfliteNetwork, compiler::InputFormat::Tflite, false},
    {kOnnxExtension, kOnnxNetwork, compiler::InputFormat::Onnx, true},
};

const NetworkFormat *formatOf(const Model &model, OperationType operation) {
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    for (const NetworkFormat &format : kFormats)
      if (extension.name == format.extension && operation == extensionOperation(extension.prefix, format.operation))
        return &format;
  return nullptr;
}

bool isFile(const Operand &operand) {
  bool isConstant =
      operand.lifetime == OperandLifeTime::ConstantCopy || operand.lifetime == OperandLifeTime::ConstantReference;
  return isConstant && operand.type == OperandType::TensorQuant8Asymm && operand.dimensions.size() == 1;
}

/// Whether the operation is the whole model: `numFiles` constants, then the model's inputs and outputs in order.
bool isWholeModel(const Model &model, const Operation &operation, size_t numFiles) {
  const std::span<const uint32_t> inputs = operation.inputs;
  return model.main.operations.size() == 1 && model.referenced.empty() && inputs.size() >= numFiles &&
         std::ranges::all_of(inputs.first(numFiles), [&](uint32_t i) { return isFile(model.main.operands[i]); }) &&
         operation.outputs == model.main.outputIndexes &&
         std::ranges::equal(inputs.subspan(numFiles), model.main.inputIndexes);
}

CarriedFormat carriedFormat(compiler::InputFormat format) {
  return format == compiler::InputFormat::Onnx ? CarriedFormat::Onnx : CarriedFormat::Tflite;
}

bool isDeclaredAs(const Operand &declared, const Operand &expected, bool mayBeOpen) {
  return declared.type == expected.type && declared.scale == expected.scale &&
         declared.zeroPoint == expected.zeroPoint &&
         (declared.dimensions == expected.dimensions || (mayBeOpen && declared.dimensions.empty()));
}

template <typename View>
Outcome checkList(const Model &model, compiler::InputFormat format, std::string_view kind,
                  std::span<const uint32_t> declared, size_t count, View &&view) {
  const bool mayBeOpen = format == compiler::InputFormat::Onnx && kind == "output";
  if (declared.size() != count)
    return invalidArgument(fmt::format("model: has {} {}s, its network {}", declared.size(), kind, count));
  for (size_t i = 0; i < count; ++i)
    if (!isDeclaredAs(model.main.operands[declared[i]], carriedOperand(carriedFormat(format), view(i)), mayBeOpen))
      return invalidArgument(fmt::format("model: {} {} (operand {}) is declared with another type, shape or scale than "
                                         "'{}' of its network has",
                                         kind, i, declared[i], view(i).name));
  return success();
}

} // namespace

Result<std::optional<NetworkParts>> networkOf(const Model &model) {
  const NetworkFormat *format = nullptr;
  const auto network = std::ranges::find_if(model.main.operations, [&](const Operation &operation) {
    return (format = formatOf(model, operation.type)) != nullptr;
  });
  if (network == model.main.operations.end())
    return std::optional<NetworkParts>();
  const bool hasPool = format->hasPool && network->inputs.size() > model.main.inputIndexes.size() + 1;
  if (!isWholeModel(model, *network, hasPool ? 2 : 1))
    return generalFailure(fmt::format("model: an operation of {} is the only one of its model, has the constant bytes "
                                      "of a file first{}, and then the model's inputs and outputs in their order",
                                      format->extension, format->hasPool ? ", maybe those of its constants" : ""));
  NetworkParts parts{format->format, network->inputs[0], std::nullopt};
  if (hasPool)
    parts.constants = network->inputs[1];
  return std::optional<NetworkParts>(parts);
}

Outcome checkNetworkOperands(const Model &model, compiler::InputFormat format, const cache::ModelCache &network) {
  const bool declaresStates = model.main.inputIndexes.size() == network.numInputs();
  const size_t states = declaresStates ? 0 : network.numStates();
  AVOCET_RETURN_IF_ERROR(checkList(model, format, "input", model.main.inputIndexes, network.numInputs() - states,
                                   [&](size_t i) { return network.input(i); }));
  return checkList(model, format, "output", model.main.outputIndexes, network.numOutputs() - states,
                   [&](size_t i) { return network.output(i); });
}

} // namespace avocet::hal
