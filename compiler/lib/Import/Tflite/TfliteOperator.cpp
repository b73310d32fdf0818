//===- TfliteOperator.cpp - View of one operator ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"
#include "TfliteTypes.h"

#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/compiler/Support/Remarks.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace avocet::compiler {

static Location locationOf(const TfliteFile &file, uint32_t index, Location fileLocation) {
  SmallVector<int32_t> outputs = file.outputs(index);
  std::string name = outputs.empty() ? ("operator" + Twine(index)).str() : file.tensorName(outputs.front());
  return operatorLocation(name, file.operationName(index), index, fileLocation);
}

TfliteOperator::TfliteOperator(TfliteGraph &graph, uint32_t index)
    : GraphOperation(graph.state_, "operator " + std::to_string(index), graph.file_.operationName(index),
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

bool TfliteOperator::isComplexInput(uint32_t position) const {
  return hasInput(position) && graph_.isComplex(inputTensor(position));
}

bool TfliteOperator::isComplexOutput(uint32_t position) const { return graph_.isComplex(outputTensor(position)); }

LogicalResult TfliteOperator::convertParts(llvm::function_ref<LogicalResult(TfliteOperator &)> convert) {
  const auto operands = llvm::seq<uint32_t>(0, numInputs()), results = llvm::seq<uint32_t>(0, numOutputs());
  const auto isComplex = [this](uint32_t position) { return isComplexInput(position); };
  if (llvm::none_of(operands, isComplex))
    return convert(*this);
  const auto isReal = [&](uint32_t position) {
    return hasInput(position) && graph_.file_.tensor(inputTensor(position)).type() == tflite::TensorType::FLOAT32;
  };
  if (llvm::any_of(operands, isReal) ||
      !llvm::all_of(results, [this](uint32_t position) { return isComplexOutput(position); }))
    return malformed("moves elements of COMPLEX64 beside others");
  for (ComplexPart part : {ComplexPart::Real, ComplexPart::Imaginary}) {
    select(part);
    if (failed(convert(*this)))
      return failure();
  }
  return success();
}

bool TfliteOperator::isEmpty(uint32_t position) const {
  return hasInput(position) && compiler::isEmpty(graph_.file_, inputTensor(position));
}

LogicalResult TfliteOperator::checkArity(const TfliteConverter &converter) {
  if (failed(checkInputs(numInputs(), converter.minInputs, converter.maxInputs)))
    return failure();
  const uint32_t least = converter.minOutputs, most = converter.maxOutputs;
  if (numOutputs() >= least && numOutputs() <= most)
    return inferShape();
  return malformed("has " + Twine(numOutputs()) + " outputs, must have " + Twine(least) +
                   (least == most ? "" : " to " + Twine(most)));
}

FailureOr<SmallVector<int64_t>> TfliteOperator::shapeByRule(const TfliteShapeRule &rule) {
  if (graph_.state_.isResized)
    return rule.infer(*this);
  // The recorded shape counts if none follows from the operands. Rules that it breaks are reported by the converter.
  ScopedDiagnosticHandler quiet(builder().getContext(), [](mlir::Diagnostic &) { return success(); });
  const bool refusedBefore = graph_.state_.refused;
  FailureOr<SmallVector<int64_t>> shape = rule.infer(*this);
  graph_.state_.refused = refusedBefore;
  return failed(shape) ? graph_.file_.shape(outputTensor(0)) : shape;
}

LogicalResult TfliteOperator::inferShape() {
  const TfliteShapeRule *rule = findTfliteShapeRule(code());
  if (!rule)
    return success();
  FailureOr<SmallVector<int64_t>> shape = shapeByRule(*rule);
  if (failed(shape))
    return failure();
  if (llvm::is_contained(*shape, 0))
    return success(); // the converter reports tensors without elements
  if (!nn::isBounded(*shape))
    return refuse("result", "has rank at most 32 and 1 to 2^31 - 1 elements", "another shape");
  noteRecordedShape(outputTensor(0), *shape);
  graph_.file_.setShape(outputTensor(0), *shape);
  return success();
}

RankedTensorType TfliteOperator::convertedType(int32_t tensor, StringRef operand) {
  const auto convert = part_ && graph_.isComplex(tensor) ? convertPart : convertType;
  ConvertedType converted = convert(graph_.state_.builder.getContext(), graph_.file_, tensor);
  if (!converted.type)
    refuse(operand, converted.rule, converted.value, converted.limit);
  return converted.type;
}

Value TfliteOperator::value(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  auto type = convertedType(tensor, operand);
  if (!type)
    return {};
  Value value = graph_.valueOf(tensor, part_.value_or(ComplexPart::Real));
  if (value)
    return value;
  if (graph_.file_.data(tensor).empty())
    return malformed("reads " + operand + " '" + graph_.file_.tensorName(tensor) + "' before it is computed");
  return graph_.constant(tensor, type);
}

Value TfliteOperator::weights(uint32_t position, StringRef operand) {
  Value value = parameter(position, operand);
  if (value && !value.getDefiningOp<nn::ConstantOp>())
    return refuse(operand, "is constant", "a computed tensor");
  return value;
}

Value TfliteOperator::parameter(uint32_t position, StringRef operand) {
  Value value = this->value(position, operand);
  if (!value || value.getDefiningOp<nn::ConstantOp>())
    return value;
  if (nn::ConstantOp folded = foldedConstant(*this, value))
    return graph_.values_[inputTensor(position)] = folded;
  return value;
}

FailureOr<SmallVector<int64_t>> TfliteOperator::inputShape(uint32_t position) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its input " + Twine(position));
  Value value = graph_.values_[tensor];
  SmallVector<int64_t> shape = value ? SmallVector<int64_t>(shapeOf(value)) : graph_.file_.shape(tensor);
  if (llvm::is_contained(shape, 0))
    return refuse("input " + std::to_string(position), "tensors have elements", "an extent of 0");
  return shape;
}

Type TfliteOperator::resultElement(uint32_t position) {
  if (part_ && isComplexOutput(position))
    return builder().getF32Type();
  ConvertedType converted = convertElement(graph_.state_.builder.getContext(), graph_.file_, outputTensor(position));
  if (converted.type)
    return converted.type.getElementType();
  refuse("result", converted.rule, converted.value, converted.limit);
  return {};
}

int64_t TfliteOperator::recordedExtent(uint32_t position) const {
  const int32_t tensor = outputTensor(position);
  const auto *signature = graph_.file_.tensor(tensor).shape_signature();
  const bool isOpen =
      graph_.state_.isResized || (signature && llvm::any_of(*signature, [](int32_t extent) { return extent < 0; }));
  const SmallVector<int64_t> shape = graph_.file_.shape(tensor);
  return isOpen || shape.empty() || shape.back() == 1 ? 0 : shape.back();
}

RankedTensorType TfliteOperator::resultType(uint32_t position) {
  return convertedType(graph_.file_.operation(index_).outputs()->Get(position), "result");
}

/// Writers of files make mistakes, and TensorFlow Lite computes the shapes of results itself.
void TfliteOperator::noteRecordedShape(int32_t tensor, ArrayRef<int64_t> shape) {
  const SmallVector<int64_t> recorded = graph_.file_.shape(tensor);
  const bool isOpen = graph_.state_.isResized || graph_.file_.hasComputedShape(tensor) ||
                      graph_.file_.tensor(tensor).shape_signature() || recorded.empty();
  if (isOpen || ArrayRef(recorded) == shape)
    return;
  remark::analysis(location(), remarkOptions(remarks::kImport, "shape"))
      << remark::metric(remarks::kChoice, nn::textOf(shape))
      << remark::metric(remarks::kReason, "the file records " + nn::textOf(recorded));
}

RankedTensorType TfliteOperator::resultType(uint32_t position, ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0) && numOutputs() == 1) {
    graph_.file_.setShape(outputTensor(0), shape);
    computesNothing_ = true;
    return {};
  }
  if (!llvm::is_contained(shape, 0) && !nn::isBounded(shape))
    return refuse("result", "has rank at most 32 and 1 to 2^31 - 1 elements", "another shape");
  noteRecordedShape(outputTensor(position), shape);
  graph_.file_.setShape(outputTensor(position), shape);
  return resultType(position);
}

FailureOr<ArrayRef<char>> TfliteOperator::bytes(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  ArrayRef<char> data = graph_.file_.data(tensor);
  if (data.empty())
    return refuse(operand, "is constant", "a computed tensor");
  // The bytes of a sparse constant lack its zeros.
  if (graph_.file_.tensor(tensor).sparsity())
    return refuse(operand, "is dense", "a sparse tensor");
  return data;
}

const Integers *TfliteOperator::computedIntegers(uint32_t position) {
  int32_t tensor = inputTensor(position);
  Value value = tensor < 0 ? Value() : graph_.values_[tensor];
  bool isInteger = value && (elementOf(value).isInteger(32) || elementOf(value).isInteger(64));
  return isInteger ? graph_.state_.known.of(value) : nullptr;
}

FailureOr<SmallVector<int64_t>> TfliteOperator::integers(uint32_t position, StringRef operand) {
  if (const Integers *computed = computedIntegers(position))
    return *computed;
  if (isEmpty(position))
    return SmallVector<int64_t>();
  FailureOr<ArrayRef<char>> data = bytes(position, operand);
  if (failed(data))
    return failure();
  tflite::TensorType type = graph_.file_.tensor(inputTensor(position)).type();
  if (type != tflite::TensorType::INT32 && type != tflite::TensorType::INT64)
    return refuse(operand, "element type", typeName(type), "INT32 or INT64");
  size_t size = type == tflite::TensorType::INT32 ? 4 : 8;
  if (data->size() % size != 0)
    return malformed("has " + operand + " of " + Twine(data->size()) + " bytes");
  return integersOf(*data, size);
}

FailureOr<double> TfliteOperator::number(uint32_t position, StringRef operand) {
  if (const Integers *computed = computedIntegers(position); computed && computed->size() == 1)
    return static_cast<double>(computed->front());
  FailureOr<ArrayRef<char>> data = bytes(position, operand);
  if (failed(data))
    return failure();
  tflite::TensorType type = graph_.file_.tensor(inputTensor(position)).type();
  std::optional<double> value = numberOf(*data, type);
  if (!value)
    return malformed("has " + operand + " of type " + typeName(type) + " with " + Twine(data->size()) +
                     " bytes, which is not one number");
  if (type == tflite::TensorType::INT64 && std::abs(*value) >= 0x1p53)
    return refuse(operand, "integer", Twine(integersOf(*data, 8).front()), "between -2^53 and 2^53");
  return *value;
}

ArrayRef<char> TfliteOperator::constantBytes(uint32_t position) const {
  int32_t tensor = inputTensor(position);
  return tensor < 0 ? ArrayRef<char>() : graph_.file_.data(tensor);
}

FailureOr<SmallVector<Value>> TfliteOperator::importSubgraph(int32_t index, ValueRange inputs) {
  const uint32_t count = graph_.file_.numSubgraphs();
  if (index < 0 || static_cast<uint32_t>(index) >= count)
    return malformed("names subgraph " + Twine(index) + ", the model has " + Twine(count));
  if (llvm::is_contained(graph_.state_.subgraphs, static_cast<uint32_t>(index)))
    return malformed("uses subgraph " + Twine(index) + " inside that subgraph itself");
  return TfliteGraph(graph_.state_, graph_.file_, index).importInto(*this, inputs);
}

LogicalResult TfliteOperator::eraseCreated() {
  Block &block = *builder().getInsertionBlock();
  while (firstCreated() && !isa<nn::ConstantOp>(block.back()) && block.back().use_empty())
    block.back().erase();
  return success();
}

TfliteVariable *TfliteOperator::variable(uint32_t position, StringRef operand) {
  int32_t tensor = inputTensor(position);
  if (tensor < 0) {
    malformed("lacks its " + operand);
    return nullptr;
  }
  TfliteVariable *variable = graph_.handles_.lookup(tensor);
  if (!variable)
    refuse(operand, "is the result of VAR_HANDLE in the same subgraph", "another tensor");
  return variable;
}

LogicalResult TfliteOperator::finishHandle(TfliteVariable &variable) {
  int32_t tensor = graph_.file_.operation(index_).outputs()->Get(0);
  if (graph_.file_.tensor(tensor).type() != tflite::TensorType::RESOURCE)
    return malformed("has a result of type " + typeName(graph_.file_.tensor(tensor).type()) + ", must be RESOURCE");
  graph_.handles_[tensor] = &variable;
  return success();
}

StringRef TfliteOperator::customName() const { return graph_.file_.customName(index_); }

ArrayRef<uint8_t> TfliteOperator::customOptions() const {
  const auto *options = graph_.file_.operation(index_).custom_options();
  return options ? ArrayRef<uint8_t>(options->data(), options->size()) : ArrayRef<uint8_t>();
}

int32_t TfliteOperator::outputTensor(uint32_t position) const {
  return graph_.file_.operation(index_).outputs()->Get(position);
}

FailureOr<float> TfliteOperator::integerScale(int32_t tensor, StringRef operand) {
  const tflite::Quantization *quantization = graph_.file_.tensor(tensor).quantization();
  const auto *scales = quantization ? quantization->scale() : nullptr;
  if (!scales || scales->size() != 1)
    return refuse(operand, "has one scale", Twine(scales ? scales->size() : 0));
  if (!isScale(scales->Get(0)))
    return refuse(operand, "scales are positive normal numbers", roundedText(scales->Get(0)));
  const auto *zeroPoints = quantization->zero_point();
  if (zeroPoints && zeroPoints->size() != 0 && zeroPoints->Get(0) != 0)
    return refuse(operand, "has the zero point 0", Twine(zeroPoints->Get(0)));
  return scales->Get(0);
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
  if (std::optional<nn::Activation> clamp = fusedClamp(static_cast<int64_t>(function)))
    return *clamp;
  std::string name = tflite::EnumNameActivationFunction(function);
  return refuse("fused activation", "is a clamp", name.empty() ? std::to_string(int(function)) : name,
                "NONE, RELU, RELU_N1_TO_1 or RELU6");
}

LogicalResult TfliteOperator::finish(Value value, uint32_t position) {
  if (!value || failed(verifyCreated()))
    return failure();
  int32_t tensor = graph_.file_.operation(index_).outputs()->Get(position);
  if (!part_ && graph_.isComplex(tensor) && !resultType(position))
    return failure(); // refused
  Value &bound = graph_.valueOf(tensor, part_.value_or(ComplexPart::Real));
  if (bound || !graph_.file_.data(tensor).empty())
    return malformed("computes '" + graph_.file_.tensorName(tensor) + "', which has a value already");
  bound = value;
  return success();
}

} // namespace avocet::compiler
