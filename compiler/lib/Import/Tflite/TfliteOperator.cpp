//===- TfliteOperator.cpp - View of one operator ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"
#include "TfliteTypes.h"

#include "avocet/compiler/Refusal.h"

#include "llvm/Support/Endian.h"

using namespace mlir;

namespace avocet::compiler {

static Location locationOf(const TfliteFile &file, uint32_t index, Location fileLocation) {
  SmallVector<int32_t> outputs = file.outputs(index);
  std::string name = outputs.empty() ? ("operator" + Twine(index)).str() : file.tensorName(outputs.front());
  return NameLoc::get(StringAttr::get(fileLocation.getContext(), name), fileLocation);
}

TfliteOperator::TfliteOperator(TfliteGraph &graph, uint32_t index)
    : graph_(graph), index_(index), name_(graph.file_.operationName(index)),
      location_(locationOf(graph.file_, index, graph.location_)) {}

uint32_t TfliteOperator::numInputs() const {
  const auto *inputs = graph_.file_.operation(index_).inputs();
  return inputs ? inputs->size() : 0;
}

uint32_t TfliteOperator::numOutputs() const { return graph_.file_.outputs(index_).size(); }

int32_t TfliteOperator::inputTensor(uint32_t position) const {
  return position < numInputs() ? graph_.file_.operation(index_).inputs()->Get(position) : -1;
}

bool TfliteOperator::hasInput(uint32_t position) const { return inputTensor(position) >= 0; }

Reported TfliteOperator::refuse(StringRef operand, const Twine &rule, const Twine &value, const Twine &limit) {
  graph_.refused_ = true;
  std::string operation = "operator " + std::to_string(index_) + " " + name_;
  emitRefusal(location_, {operation, operand.str(), rule.str(), value.str(), limit.str()});
  return {};
}

Reported TfliteOperator::malformed(const Twine &message) {
  emitError(location_) << "operator " << index_ << " " << name_ << " " << message;
  return {};
}

RankedTensorType TfliteOperator::convertedType(int32_t tensor, StringRef operand) {
  ConvertedType converted = convertType(graph_.builder_.getContext(), graph_.file_, tensor);
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
  SmallVector<int64_t> values;
  for (const char *element = data.begin(); element != data.end(); element += size)
    values.push_back(size == 4 ? static_cast<int32_t>(llvm::support::endian::read32le(element))
                               : static_cast<int64_t>(llvm::support::endian::read64le(element)));
  return values;
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
  ConvertedType converted = convertElement(graph_.builder_.getContext(), graph_.file_, tensors->Get(position));
  if (!converted.type)
    refuse(operand, converted.rule, converted.value, converted.limit);
  return converted.type;
}

FailureOr<nn::Activation> TfliteOperator::fusedActivation(tflite::ActivationFunction function) {
  switch (function) {
  case tflite::ActivationFunction::NONE:
    return nn::Activation::None;
  case tflite::ActivationFunction::RELU:
    return nn::Activation::Relu;
  case tflite::ActivationFunction::RELU_N1_TO_1:
    return nn::Activation::ReluN1To1;
  case tflite::ActivationFunction::RELU6:
    return nn::Activation::Relu6;
  default:
    std::string name = tflite::EnumNameActivationFunction(function);
    return refuse("fused activation", "is a clamp", name.empty() ? std::to_string(int(function)) : name,
                  "NONE, RELU, RELU_N1_TO_1 or RELU6");
  }
}

LogicalResult TfliteOperator::finish(Value value) {
  int32_t tensor = graph_.file_.operation(index_).outputs()->Get(0);
  if (graph_.values_[tensor] || !graph_.file_.data(tensor).empty())
    return malformed("computes '" + graph_.file_.tensorName(tensor) + "', which has a value already");
  graph_.values_[tensor] = value;
  return success();
}

} // namespace avocet::compiler
