//===- TfliteGraph.cpp - One function from one graph ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

#include "Import/Common/Constants.h"
#include "Import/Common/ImportedOperation.h"
#include "TfliteBlocks.h"
#include "TfliteSparse.h"
#include "TfliteTypes.h"

#include "TfliteImport.h"
#include "avocet/base/Rounding.h"
#include "avocet/compiler/Support/Refusal.h"

using namespace mlir;

namespace avocet::compiler {

/// Replaces the names of the tensors by those of the entry point.
static void nameBySignature(func::FuncOp function, const tflite::SubGraph &graph,
                            const tflite::SignatureDef &signature) {
  Builder builder(function.getContext());
  auto nameOf = [&](const auto *names, int32_t tensor) -> StringAttr {
    for (uint32_t i = 0; names && i < names->size(); ++i)
      if (names->Get(i)->tensor() == static_cast<uint32_t>(tensor) && names->Get(i)->name())
        return builder.getStringAttr(names->Get(i)->name()->str());
    return {};
  };
  for (unsigned position = 0; position < function.getNumArguments(); ++position)
    if (StringAttr name = nameOf(signature.inputs(), graph.inputs()->Get(position)))
      function.setArgAttr(position, nn::kNameAttr, name);
  for (unsigned position = 0; position < function.getNumResults(); ++position)
    if (StringAttr name = nameOf(signature.outputs(), graph.outputs()->Get(position)))
      function.setResultAttr(position, nn::kNameAttr, name);
}

TfliteGraph::TfliteGraph(TfliteImport &import, const TfliteFile &file, uint32_t index)
    : state_(import), file_(file.subgraph(index)), values_(file_.numTensors()) {
  state_.subgraphs.push_back(index);
}

TfliteGraph::~TfliteGraph() { state_.subgraphs.pop_back(); }

LogicalResult TfliteGraph::importGraph(ModuleOp module, const tflite::SignatureDef *signature) {
  state_.builder.setInsertionPointToEnd(module.getBody());
  FailureOr<func::FuncOp> function = createFunction();
  if (failed(function) || failed(importInputs(*function)))
    return failure();
  if (signature)
    nameBySignature(*function, file_.graph(), *signature);
  state_.constants = state_.builder.getInsertionBlock();
  // After a refusal, values may be missing; the outputs are then irrelevant.
  if (failed(importOperators()) || (state_.refused && !state_.keepsRefused))
    return failure();
  FailureOr<SmallVector<Value>> results = outputs();
  if (failed(results) || failed(state_.variables.states.addResults(*function, *results)))
    return failure();
  func::ReturnOp::create(state_.builder, state_.location, *results);
  // Custom operators may declare results without a shape.
  function->setType(FunctionType::get(function->getContext(), function->getArgumentTypes(),
                                      llvm::to_vector(ValueRange(*results).getTypes())));
  return success();
}

FailureOr<SmallVector<Value>> TfliteGraph::importInto(TfliteOperator &user, ValueRange inputs) {
  if (failed(bindInputs(user, inputs)) || failed(importOperators()) || state_.refused)
    return failure();
  const auto *results = file_.graph().outputs();
  for (uint32_t position = 0; results && position < results->size(); ++position)
    if (isComplex(results->Get(position)))
      return user.refuse("output " + std::to_string(position) + " of its subgraph", "is real", "COMPLEX64");
  return outputs();
}

Location TfliteGraph::tensorLocation(int32_t tensor) const {
  return NameLoc::get(state_.builder.getStringAttr(file_.tensorName(tensor)), state_.location);
}

static std::string adviceFor(const TfliteFile &file, int32_t tensor) {
  if (isEmpty(file, tensor))
    return "remove this tensor from the inputs and outputs of the model";
  if (file.tensor(tensor).type() == tflite::TensorType::COMPLEX64)
    return "end the network with REAL and IMAG or COMPLEX_ABS of complex tensors, and begin it with real ones";
  const auto *signature = file.tensor(tensor).shape_signature();
  const bool isOpen = signature && llvm::any_of(*signature, [](int32_t extent) { return extent < 1; });
  return isOpen ? "give the shapes of open inputs with --shape NAME=EXTENTS"
                : "change the type or shape of this tensor in the model";
}

/// Types of graph inputs or outputs; refusals name them by position.
static FailureOr<SmallVector<Type>> borderTypes(MLIRContext *context, const TfliteFile &file, Location location,
                                                StringRef border, const flatbuffers::Vector<int32_t> *tensors) {
  SmallVector<Type> types;
  bool complete = true;
  for (uint32_t position = 0; tensors && position < tensors->size(); ++position) {
    ConvertedType converted = convertType(context, file, tensors->Get(position));
    types.push_back(converted.type);
    if (converted.type)
      continue;
    complete = false;
    RefusalReason reason{border.str(), std::to_string(position), converted.rule, converted.value, converted.limit};
    reason.output = "'" + file.tensorName(tensors->Get(position)) + "'";
    reason.advice = adviceFor(file, tensors->Get(position));
    emitRefusal(location, reason);
  }
  if (!complete)
    return failure();
  return types;
}

FailureOr<func::FuncOp> TfliteGraph::createFunction() {
  MLIRContext *context = state_.builder.getContext();
  auto inputs = borderTypes(context, file_, state_.location, "graph input", file_.graph().inputs());
  auto outputs = borderTypes(context, file_, state_.location, "graph output", file_.graph().outputs());
  if (failed(inputs) || failed(outputs))
    return failure();
  if (outputs->empty() && !state_.variables.areAssigned())
    return emitError(state_.location, "graph has no outputs");
  auto function =
      func::FuncOp::create(state_.builder, state_.location, "main", FunctionType::get(context, *inputs, *outputs));
  for (uint32_t position = 0; position < outputs->size(); ++position)
    function.setResultAttr(position, nn::kNameAttr,
                           state_.builder.getStringAttr(file_.tensorName(file_.graph().outputs()->Get(position))));
  return function;
}

LogicalResult TfliteGraph::importInputs(func::FuncOp function) {
  Block *body = function.addEntryBlock();
  state_.builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : body->getArguments()) {
    int32_t tensor = file_.graph().inputs()->Get(argument.getArgNumber());
    if (values_[tensor])
      return emitError(state_.location) << "tensor " << tensor << " is a graph input twice";
    if (!file_.data(tensor).empty())
      return emitError(state_.location) << "tensor " << tensor << " is a graph input and a constant";
    values_[tensor] = argument;
    argument.setLoc(tensorLocation(tensor));
    function.setArgAttr(argument.getArgNumber(), nn::kNameAttr, state_.builder.getStringAttr(file_.tensorName(tensor)));
  }
  return success();
}

LogicalResult TfliteGraph::bindInputs(TfliteOperator &user, ValueRange inputs) {
  const auto *tensors = file_.graph().inputs();
  const uint32_t count = tensors ? tensors->size() : 0;
  if (count != inputs.size())
    return user.malformed("passes " + Twine(inputs.size()) + " values to a subgraph that takes " + Twine(count));
  for (auto [position, value] : llvm::enumerate(inputs)) {
    int32_t tensor = tensors->Get(position);
    std::string what = ("input " + Twine(position) + " of its subgraph").str();
    ConvertedType converted = convertType(state_.builder.getContext(), file_, tensor);
    if (!converted.type)
      return user.refuse(what, converted.rule, converted.value, converted.limit);
    if (converted.type.getElementType() == elementOf(value))
      file_.setShape(tensor, shapeOf(value));
    else
      return user.refuse(what, "has the type of the passed value", "another element type or quantization");
    if (values_[tensor] || !file_.data(tensor).empty())
      return user.malformed("has a subgraph whose input " + Twine(position) + " has a value already");
    values_[tensor] = value;
  }
  return success();
}

LogicalResult TfliteGraph::importOperators() {
  for (uint32_t index = 0; index < file_.numOperators(); ++index)
    if (failed(importOperator(index)))
      return failure();
  return success();
}

static bool isControlFlow(const TfliteOperator &op) {
  return op.code() == tflite::BuiltinOperator::IF || op.code() == tflite::BuiltinOperator::WHILE;
}

/// Subgraphs are imported at every use, so a small file with nested uses could expand to any number of operators.
static constexpr uint32_t kMaxOperators = 1 << 17;

bool TfliteGraph::hasEmptyResults(const TfliteOperator &op, uint32_t index) const {
  const SmallVector<int32_t> outputs = file_.outputs(index);
  // Branches and loops may have other effects; the shapes of a resized model are not those of the file.
  if (outputs.empty() || state_.isResized || !findTfliteConverter(op) || isControlFlow(op))
    return false;
  const auto *results = file_.graph().outputs();
  auto isResult = [results](int32_t tensor) { return results && llvm::is_contained(*results, tensor); };
  return llvm::all_of(outputs, [&](int32_t tensor) { return isEmpty(file_, tensor) && !isResult(tensor); });
}

LogicalResult TfliteGraph::importOperator(uint32_t index) {
  TfliteOperator op(*this, index);
  if (++state_.operators > kMaxOperators)
    return op.malformed("is one of more than " + Twine(kMaxOperators) + " operators, counting each use of a subgraph");
  if (hasEmptyResults(op, index))
    return success();
  FailureOr<bool> refused = convertOperation(state_, op, findTfliteConverter(op));
  if (failed(refused))
    return op.computesNothing() ? op.eraseCreated() : failure();
  // Operators after a refused one are still checked: its results get stand-ins.
  if (*refused && state_.keepsRefused)
    keepRefused(index);
  else if (*refused)
    for (int32_t tensor : file_.outputs(index))
      addPlaceholders(tensor);
  return success();
}

void TfliteGraph::addPlaceholders(int32_t tensor) {
  const auto convert = isComplex(tensor) ? convertPart : convertType;
  const RankedTensorType type = convert(state_.builder.getContext(), file_, tensor).type;
  values_[tensor] = placeholder(tensor, type);
  if (isComplex(tensor))
    imaginary_[tensor] = placeholder(tensor, type);
}

/// Kept operators are found by their locations, which operations beside them must not have.
static Location partLocation(Location location, StringRef part) {
  return NameLoc::get(StringAttr::get(location.getContext(), part), location);
}

Value TfliteGraph::joinedParts(int32_t tensor) {
  SmallVector<Value> parts;
  for (ComplexPart part : {ComplexPart::Real, ComplexPart::Imaginary}) {
    Value value = valueOf(tensor, part);
    if (!value)
      return {};
    SmallVector<int64_t> shape(shapeOf(value));
    shape.push_back(1);
    const auto type = RankedTensorType::get(shape, elementOf(value));
    parts.push_back(nn::ReshapeOp::create(state_.builder, value.getLoc(), type, value, shape));
  }
  SmallVector<int64_t> shape(shapeOf(parts[0]));
  const auto axis = static_cast<int64_t>(shape.size()) - 1;
  shape.back() = 2;
  const auto type = RankedTensorType::get(shape, elementOf(parts[0]));
  return nn::ConcatenationOp::create(state_.builder, parts[0].getLoc(), type, parts, axis);
}

void TfliteGraph::bindParts(int32_t tensor, Value joined) {
  SmallVector<int64_t> shape(shapeOf(joined)), begin(shape.size(), 0), strides(shape.size(), 1);
  shape.back() = 1;
  const auto sliced = RankedTensorType::get(shape, elementOf(joined));
  const auto type = RankedTensorType::get(ArrayRef(shape).drop_back(), elementOf(joined));
  for (ComplexPart part : {ComplexPart::Real, ComplexPart::Imaginary}) {
    const bool isReal = part == ComplexPart::Real;
    const Location location =
        partLocation(state_.location, file_.tensorName(tensor) + (isReal ? ".real" : ".imaginary"));
    begin.back() = isReal ? 0 : 1;
    Value slice = nn::SliceOp::create(state_.builder, location, sliced, joined, begin, shape, strides);
    valueOf(tensor, part) = nn::ReshapeOp::create(state_.builder, location, type, slice, type.getShape());
  }
}

/// An operator that an application may compute; `complete`: it has all operands, in types of the dialect.
static KeptOperator describeKept(const TfliteFile &file, uint32_t index, bool complete) {
  KeptOperator kept{file.operationName(index), index, file.customName(index).str(), "", ""};
  const tflite::Operator &op = file.operation(index);
  if (!complete)
    kept.obstacle = kOperandObstacle;
  if (op.large_custom_options_size() != 0)
    kept.obstacle = "its attributes lie past the end of the model";
  if (const auto *options = op.custom_options())
    kept.attributes.assign(options->begin(), options->end());
  return kept;
}

/// Those of the stand-in that can be read, and whether they are all.
std::pair<SmallVector<Value>, bool> TfliteGraph::keptOperands(uint32_t index) {
  SmallVector<Value> operands;
  const auto *inputs = file_.operation(index).inputs();
  const uint32_t count = inputs ? inputs->size() : 0;
  for (uint32_t position = 0; position < count; ++position) {
    const int32_t tensor = inputs->Get(position);
    Value value = tensor < 0 ? Value() : isComplex(tensor) ? joinedParts(tensor) : values_[tensor];
    RankedTensorType type =
        tensor < 0 ? RankedTensorType() : convertType(state_.builder.getContext(), file_, tensor).type;
    if (!value && type && !file_.data(tensor).empty())
      value = constant(tensor, type);
    if (value)
      operands.push_back(value);
  }
  return {operands, operands.size() == count};
}

void TfliteGraph::keepRefused(uint32_t index) {
  MLIRContext *context = state_.builder.getContext();
  const auto [operands, complete] = keptOperands(index);
  const SmallVector<int32_t> outputs = file_.outputs(index);
  auto types = llvm::map_to_vector(outputs, [&](int32_t tensor) -> Type {
    RankedTensorType type = (isComplex(tensor) ? convertPart : convertType)(context, file_, tensor).type;
    if (type && isComplex(tensor)) {
      SmallVector<int64_t> shape(type.getShape());
      shape.push_back(2);
      return RankedTensorType::get(shape, type.getElementType());
    }
    return type ? type : RankedTensorType::get({1}, state_.builder.getIndexType());
  });
  Location location = outputs.empty() ? state_.location : tensorLocation(outputs.front());
  Operation *kept =
      keepOperator(state_.builder, location, describeKept(file_, index, complete), types, ValueRange(operands));
  for (auto [tensor, result] : llvm::zip(outputs, kept->getResults()))
    if (isComplex(tensor) && elementOf(result).isF32())
      bindParts(tensor, result);
    else
      values_[tensor] = result;
}

Value TfliteGraph::placeholder(int32_t tensor, RankedTensorType type) {
  // A tensor whose type the dialect does not have gets a type that every operation refuses.
  if (!type)
    type = RankedTensorType::get({1}, state_.builder.getIndexType());
  return UnrealizedConversionCastOp::create(state_.builder, tensorLocation(tensor), type, ValueRange()).getResult(0);
}

FailureOr<SmallVector<Value>> TfliteGraph::outputs() {
  SmallVector<Value> results;
  for (uint32_t position = 0; file_.graph().outputs() && position < file_.graph().outputs()->size(); ++position) {
    int32_t tensor = file_.graph().outputs()->Get(position);
    Value value = values_[tensor];
    if (!value && !file_.data(tensor).empty())
      value = constant(tensor, convertType(state_.builder.getContext(), file_, tensor).type);
    else if (!value && isEmpty(file_, tensor))
      emitRefusal(state_.location, {"graph output", std::to_string(position), "tensors have elements", "an extent of 0",
                                    "", "'" + file_.tensorName(tensor) + "'", adviceFor(file_, tensor)});
    else if (!value)
      emitError(state_.location) << "graph output '" << file_.tensorName(tensor) << "' is not computed by an operator";
    if (!value)
      return failure();
    results.push_back(value);
  }
  return results;
}

ElementsAttr TfliteGraph::sparseData(int32_t tensor, RankedTensorType type) {
  const Location location = tensorLocation(tensor);
  ArrayRef<char> data = file_.data(tensor);
  const uint64_t width = bytesOf(type.getElementType()), dense = static_cast<uint64_t>(type.getNumElements()) * width;
  if (file_.tensor(tensor).type() == tflite::TensorType::INT4 || data.size() % width != 0 ||
      dense > kMaxComputedBytes) {
    emitError(location) << "sparse constant of " << data.size() << " bytes must have whole elements of at least 8 bits"
                        << " and at most " << kMaxComputedBytes << " bytes when it is dense, has " << dense;
    return {};
  }
  const tflite::Sparsity &sparsity = *file_.tensor(tensor).sparsity();
  auto positions = positionsOfStored(location, sparsity, type.getShape(), data.size() / width);
  if (failed(positions))
    return {};
  return computedElements(type, "dense", [&](llvm::MutableArrayRef<char> bytes) {
    llvm::fill(bytes, 0);
    for (auto [number, position] : llvm::enumerate(*positions))
      llvm::copy(data.slice(number * width, width), bytes.slice(position * width, width).begin());
  });
}

ElementsAttr TfliteGraph::constantData(int32_t tensor, RankedTensorType type) {
  if (hasBlocks(file_.tensor(tensor)))
    return realElements(file_, tensor, type);
  if (file_.tensor(tensor).sparsity())
    return sparseData(tensor, type);
  ArrayRef<char> data = file_.data(tensor);
  const bool hasNibbles = file_.tensor(tensor).type() == tflite::TensorType::INT4;
  uint64_t elements = static_cast<uint64_t>(type.getNumElements());
  uint64_t bytes = hasNibbles ? divideUp(elements, 2) : elements * bytesOf(type.getElementType());
  if (data.size() != bytes) {
    emitError(tensorLocation(tensor)) << "constant has " << data.size() << " bytes, its shape and type need " << bytes;
    return {};
  }
  const std::string name = "buffer" + std::to_string(file_.tensor(tensor).buffer());
  return hasNibbles ? unpackedElements(type, data, 4, /*isSigned=*/true, name)
                    : elementsInFile(state_, type, data, name);
}

Value TfliteGraph::constant(int32_t tensor, RankedTensorType type) {
  ElementsAttr data = constantData(tensor, type);
  if (!data)
    return {};
  return values_[tensor] = state_.addConstant(tensorLocation(tensor), type, data);
}

} // namespace avocet::compiler
