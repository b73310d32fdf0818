//===- TfliteGraph.cpp - One function from one graph ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"
#include "TfliteTypes.h"

#include "avocet/compiler/Refusal.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

TfliteGraph::TfliteGraph(OpBuilder &builder, const TfliteFile &file, std::shared_ptr<llvm::MemoryBuffer> bytes,
                         Location fileLocation)
    : builder_(builder), file_(file), bytes_(std::move(bytes)), location_(fileLocation), values_(file.numTensors()) {}

LogicalResult TfliteGraph::importGraph(ModuleOp module) {
  builder_.setInsertionPointToEnd(module.getBody());
  FailureOr<func::FuncOp> function = createFunction();
  if (failed(function) || failed(importInputs(*function)))
    return failure();
  constants_ = builder_.getInsertionBlock();
  for (uint32_t index = 0; index < file_.numOperators(); ++index)
    if (failed(importOperator(index)))
      return failure();
  // After a refusal, values may be missing; the outputs are then irrelevant.
  return refused_ ? failure() : importOutputs(*function);
}

Location TfliteGraph::tensorLocation(int32_t tensor) const {
  return NameLoc::get(builder_.getStringAttr(file_.tensorName(tensor)), location_);
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
    reason.advice = "change the type of this tensor in the model";
    emitRefusal(location, reason);
  }
  if (!complete)
    return failure();
  return types;
}

FailureOr<func::FuncOp> TfliteGraph::createFunction() {
  MLIRContext *context = builder_.getContext();
  auto inputs = borderTypes(context, file_, location_, "graph input", file_.graph().inputs());
  auto outputs = borderTypes(context, file_, location_, "graph output", file_.graph().outputs());
  if (failed(inputs) || failed(outputs))
    return failure();
  if (outputs->empty())
    return emitError(location_, "graph has no outputs");
  auto function = func::FuncOp::create(builder_, location_, "main", FunctionType::get(context, *inputs, *outputs));
  for (uint32_t position = 0; position < outputs->size(); ++position)
    function.setResultAttr(position, nn::kNameAttr,
                           builder_.getStringAttr(file_.tensorName(file_.graph().outputs()->Get(position))));
  return function;
}

LogicalResult TfliteGraph::importInputs(func::FuncOp function) {
  Block *body = function.addEntryBlock();
  builder_.setInsertionPointToEnd(body);
  for (BlockArgument argument : body->getArguments()) {
    int32_t tensor = file_.graph().inputs()->Get(argument.getArgNumber());
    if (values_[tensor])
      return emitError(location_) << "tensor " << tensor << " is a graph input twice";
    if (!file_.data(tensor).empty())
      return emitError(location_) << "tensor " << tensor << " is a graph input and a constant";
    values_[tensor] = argument;
    argument.setLoc(tensorLocation(tensor));
    function.setArgAttr(argument.getArgNumber(), nn::kNameAttr, builder_.getStringAttr(file_.tensorName(tensor)));
  }
  return success();
}

/// Fails unless the operator has as many operands as its converter reads, and one result.
static LogicalResult checkArity(TfliteOperator &op, const TfliteConverter &converter) {
  if (op.numInputs() < converter.minInputs || op.numInputs() > converter.maxInputs)
    return op.malformed("has " + Twine(op.numInputs()) + " inputs, must have " + Twine(converter.minInputs) + " to " +
                        Twine(converter.maxInputs));
  if (op.numOutputs() != 1)
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, must have 1");
  return success();
}

LogicalResult TfliteGraph::importOperator(uint32_t index) {
  TfliteOperator op(*this, index);
  bool refusedBefore = std::exchange(refused_, false);
  LogicalResult converted = failure();
  if (const TfliteConverter *converter = findTfliteConverter(op.code())) {
    converted = checkArity(op, *converter);
    if (succeeded(converted))
      converted = converter->convert(op);
  } else {
    converted = op.refuse("", kImplementedRule, op.name());
  }
  if (failed(converted) && !refused_)
    return failure();
  // Operators after a refused one are still checked: its results get stand-ins.
  if (refused_)
    for (int32_t tensor : file_.outputs(index))
      values_[tensor] = placeholder(tensor, convertType(builder_.getContext(), file_, tensor).type);
  refused_ |= refusedBefore;
  return success();
}

Value TfliteGraph::placeholder(int32_t tensor, RankedTensorType type) {
  // A tensor whose type the dialect does not have gets a type that every operation refuses.
  if (!type)
    type = RankedTensorType::get({1}, builder_.getIndexType());
  return UnrealizedConversionCastOp::create(builder_, tensorLocation(tensor), type, ValueRange()).getResult(0);
}

LogicalResult TfliteGraph::importOutputs(func::FuncOp function) {
  SmallVector<Value> results;
  for (int32_t tensor : *file_.graph().outputs()) {
    Value value = values_[tensor];
    if (!value || !value.getDefiningOp() || isa<nn::ConstantOp>(value.getDefiningOp()))
      return emitError(location_) << "graph output '" << file_.tensorName(tensor) << "' is not computed by an operator";
    results.push_back(value);
  }
  func::ReturnOp::create(builder_, location_, results);
  return success();
}

ElementsAttr TfliteGraph::constantData(int32_t tensor, RankedTensorType type) {
  ArrayRef<char> data = file_.data(tensor);
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getStorageType();
  uint64_t bytes = static_cast<uint64_t>(type.getNumElements()) * (element.getIntOrFloatBitWidth() / 8);
  if (data.size() != bytes) {
    emitError(tensorLocation(tensor)) << "constant has " << data.size() << " bytes, its shape and type need " << bytes;
    return {};
  }
  // The blob keeps the file alive. Files are mapped at page boundaries, so the low bits of address and offset are
  // equal.
  auto address = reinterpret_cast<uintptr_t>(data.data());
  size_t alignment = std::min<size_t>(16, size_t(1) << llvm::countr_zero(address));
  auto blob = UnmanagedAsmResourceBlob::allocateWithAlign(data, alignment, [file = bytes_](void *, size_t, size_t) {});
  std::string name = ("buffer" + Twine(file_.tensor(tensor).buffer())).str();
  return DenseResourceElementsAttr::get(RankedTensorType::get(type.getShape(), element), name, std::move(blob));
}

Value TfliteGraph::constant(int32_t tensor, RankedTensorType type) {
  ElementsAttr data = constantData(tensor, type);
  if (!data)
    return {};
  // Constants are placed before the operations, in the order of their first use.
  OpBuilder::InsertionGuard guard(builder_);
  if (lastConstant_)
    builder_.setInsertionPointAfter(lastConstant_);
  else
    builder_.setInsertionPointToStart(constants_);
  auto op = nn::ConstantOp::create(builder_, tensorLocation(tensor), type, data);
  lastConstant_ = op;
  values_[tensor] = op;
  return op;
}

} // namespace avocet::compiler
