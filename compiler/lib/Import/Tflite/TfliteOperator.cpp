//===- TfliteOperator.cpp - View of one operator ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

#include "Import/Common/Constants.h"
#include "TfliteTypes.h"

using namespace mlir;

namespace avocet::compiler {

static Location locationOf(const TfliteFile &file, uint32_t index, Location fileLocation) {
  SmallVector<int32_t> outputs = file.outputs(index);
  std::string name = outputs.empty() ? ("operator" + Twine(index)).str() : file.tensorName(outputs.front());
  return NameLoc::get(StringAttr::get(fileLocation.getContext(), name), fileLocation);
}

TfliteOperator::TfliteOperator(TfliteGraph &graph, uint32_t index)
    : ImportedOperation(graph.state_, "operator " + std::to_string(index), graph.file_.operationName(index),
                        locationOf(graph.file_, index, graph.state_.location)),
      graph_(graph), index_(index) {}

uint32_t TfliteOperator::numInputs() const {
  const auto *inputs = graph_.file_.operation(index_).inputs();
  return inputs ? inputs->size() : 0;
}

uint32_t TfliteOperator::numOutputs() const { return graph_.file_.outputs(index_).size(); }

int32_t TfliteOperator::inputTensor(uint32_t position) const {
  return position < numInputs() ? graph_.file_.operation(index_).inputs()->Get(position) : -1;
}

bool TfliteOperator::hasInput(uint32_t position) const { return inputTensor(position) >= 0; }

LogicalResult TfliteOperator::checkArity(const TfliteConverter &converter) {
  if (failed(checkInputs(numInputs(), converter.minInputs, converter.maxInputs)))
    return failure();
  if (numOutputs() != 1)
    return malformed("has " + Twine(numOutputs()) + " outputs, must have 1");
  return success();
}

RankedTensorType TfliteOperator::convertedType(int32_t tensor, StringRef operand) {
  ConvertedType converted = convertType(graph_.state_.builder.getContext(), graph_.file_, tensor);
  if (!converted.type)
    refuse(operand, converted.rule, converted.value, converted.limit);
  return converted.type;
}

/// Values between operations are f32 or 8-bit with one scale.
static bool isActivationType(Type element) {
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth() == 8;
  return element.isF32();
}

Value TfliteOperator::activation(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  auto type = convertedType(tensor, operand);
  if (!type)
    return {};
  if (!isActivationType(type.getElementType())) {
    tflite::TensorType stored = graph_.file_.tensor(tensor).type();
    return refuse(operand, "element type", typeName(stored), "FLOAT32, or INT8 or UINT8 with one scale");
  }
  Value value = graph_.values_[tensor];
  if (value)
    return value;
  if (graph_.file_.data(tensor).empty())
    return malformed("reads " + operand + " '" + graph_.file_.tensorName(tensor) + "' before it is computed");
  return graph_.constant(tensor, type);
}

Value TfliteOperator::weights(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  auto type = convertedType(tensor, operand);
  if (!type)
    return {};
  Value value = graph_.values_[tensor];
  if (value && value.getDefiningOp<nn::ConstantOp>())
    return value;
  if (value || graph_.file_.data(tensor).empty())
    return refuse(operand, "is constant", "a computed tensor");
  return graph_.constant(tensor, type);
}

RankedTensorType TfliteOperator::resultType() {
  int32_t tensor = graph_.file_.operation(index_).outputs()->Get(0);
  auto type = convertedType(tensor, "result");
  if (!type || isActivationType(type.getElementType()))
    return type;
  tflite::TensorType stored = graph_.file_.tensor(tensor).type();
  return refuse("result", "element type", typeName(stored), "FLOAT32, or INT8 or UINT8 with one scale");
}

FailureOr<SmallVector<int64_t>> TfliteOperator::integers(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  ArrayRef<char> data = graph_.file_.data(tensor);
  if (data.empty())
    return refuse(operand, "is constant", "a computed tensor");
  tflite::TensorType type = graph_.file_.tensor(tensor).type();
  if (type != tflite::TensorType::INT32 && type != tflite::TensorType::INT64)
    return refuse(operand, "element type", typeName(type), "INT32 or INT64");
  size_t size = type == tflite::TensorType::INT32 ? 4 : 8;
  if (data.size() % size != 0)
    return malformed("has " + operand + " of " + Twine(data.size()) + " bytes");
  return integersOf(data, size);
}

RankedTensorType TfliteOperator::stateType(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  if (!graph_.file_.tensor(tensor).is_variable())
    return refuse(operand, "is a variable", "another tensor");
  return convertedType(tensor, operand);
}

RankedTensorType TfliteOperator::intermediateElement(uint32_t position, StringRef operand) {
  const auto *tensors = graph_.file_.operation(index_).intermediates();
  if (!tensors || position >= tensors->size() || tensors->Get(position) < 0)
    return malformed("lacks its " + operand);
  ConvertedType converted = convertElement(graph_.state_.builder.getContext(), graph_.file_, tensors->Get(position));
  if (!converted.type)
    refuse(operand, converted.rule, converted.value, converted.limit);
  return converted.type;
}

FailureOr<nn::Activation> TfliteOperator::fusedActivation(tflite::ActivationFunction function) {
  static_assert(static_cast<int>(tflite::ActivationFunction::NONE) == static_cast<int>(nn::Activation::None) &&
                static_cast<int>(tflite::ActivationFunction::RELU) == static_cast<int>(nn::Activation::Relu) &&
                static_cast<int>(tflite::ActivationFunction::RELU_N1_TO_1) ==
                    static_cast<int>(nn::Activation::ReluN1To1) &&
                static_cast<int>(tflite::ActivationFunction::RELU6) == static_cast<int>(nn::Activation::Relu6));
  if (auto activation = nn::symbolizeActivation(static_cast<uint32_t>(function)))
    return *activation;
  std::string name = tflite::EnumNameActivationFunction(function);
  return refuse("fused activation", "is a clamp", name.empty() ? std::to_string(int(function)) : name,
                "NONE, RELU, RELU_N1_TO_1 or RELU6");
}

LogicalResult TfliteOperator::finish(Value value) {
  int32_t tensor = graph_.file_.operation(index_).outputs()->Get(0);
  if (graph_.values_[tensor] || !graph_.file_.data(tensor).empty())
    return malformed("computes '" + graph_.file_.tensorName(tensor) + "', which has a value already");
  graph_.values_[tensor] = value;
  return success();
}

} // namespace avocet::compiler
