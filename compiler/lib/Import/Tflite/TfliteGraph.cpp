//===- TfliteGraph.cpp - One function from one graph ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

#include "Import/Common/Constants.h"
#include "TfliteTypes.h"

#include "avocet/compiler/Refusal.h"

using namespace mlir;

namespace avocet::compiler {

TfliteGraph::TfliteGraph(const ImportState &state, const TfliteFile &file)
    : state_(state), file_(file), values_(file.numTensors()) {}

LogicalResult TfliteGraph::importGraph(ModuleOp module) {
  state_.builder.setInsertionPointToEnd(module.getBody());
  FailureOr<func::FuncOp> function = createFunction();
  if (failed(function) || failed(importInputs(*function)))
    return failure();
  constants_ = state_.builder.getInsertionBlock();
  for (uint32_t index = 0; index < file_.numOperators(); ++index)
    if (failed(importOperator(index)))
      return failure();
  // After a refusal, values may be missing; the outputs are then irrelevant.
  return state_.refused ? failure() : importOutputs(*function);
}

Location TfliteGraph::tensorLocation(int32_t tensor) const {
  return NameLoc::get(state_.builder.getStringAttr(file_.tensorName(tensor)), state_.location);
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
  MLIRContext *context = state_.builder.getContext();
  auto inputs = borderTypes(context, file_, state_.location, "graph input", file_.graph().inputs());
  auto outputs = borderTypes(context, file_, state_.location, "graph output", file_.graph().outputs());
  if (failed(inputs) || failed(outputs))
    return failure();
  if (outputs->empty())
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

LogicalResult TfliteGraph::importOperator(uint32_t index) {
  TfliteOperator op(*this, index);
  FailureOr<bool> refused = convertOperation(state_, op, findTfliteConverter(op.code()));
  if (failed(refused))
    return failure();
  // Operators after a refused one are still checked: its results get stand-ins.
  if (*refused)
    for (int32_t tensor : file_.outputs(index))
      values_[tensor] = placeholder(tensor, convertType(state_.builder.getContext(), file_, tensor).type);
  return success();
}

Value TfliteGraph::placeholder(int32_t tensor, RankedTensorType type) {
  // A tensor whose type the dialect does not have gets a type that every operation refuses.
  if (!type)
    type = RankedTensorType::get({1}, state_.builder.getIndexType());
  return UnrealizedConversionCastOp::create(state_.builder, tensorLocation(tensor), type, ValueRange()).getResult(0);
}

LogicalResult TfliteGraph::importOutputs(func::FuncOp function) {
  SmallVector<Value> results;
  for (int32_t tensor : *file_.graph().outputs()) {
    Value value = values_[tensor];
    if (!value && !file_.data(tensor).empty())
      value = constant(tensor, convertType(state_.builder.getContext(), file_, tensor).type);
    else if (!value)
      emitError(state_.location) << "graph output '" << file_.tensorName(tensor) << "' is not computed by an operator";
    if (!value)
      return failure();
    results.push_back(value);
  }
  func::ReturnOp::create(state_.builder, state_.location, results);
  return success();
}

/// Booleans are stored as one byte each.
static uint64_t bytesOf(Type stored) { return std::max(8u, stored.getIntOrFloatBitWidth()) / 8; }

ElementsAttr TfliteGraph::constantData(int32_t tensor, RankedTensorType type) {
  ArrayRef<char> data = file_.data(tensor);
  uint64_t bytes = static_cast<uint64_t>(type.getNumElements()) * bytesOf(storedElement(type));
  if (data.size() != bytes) {
    emitError(tensorLocation(tensor)) << "constant has " << data.size() << " bytes, its shape and type need " << bytes;
    return {};
  }
  return elementsInFile(state_, type, data, "buffer" + Twine(file_.tensor(tensor).buffer()));
}

Value TfliteGraph::constant(int32_t tensor, RankedTensorType type) {
  ElementsAttr data = constantData(tensor, type);
  if (!data)
    return {};
  // Constants are placed before the operations, in the order of their first use.
  OpBuilder::InsertionGuard guard(state_.builder);
  if (lastConstant_)
    state_.builder.setInsertionPointAfter(lastConstant_);
  else
    state_.builder.setInsertionPointToStart(constants_);
  auto op = nn::ConstantOp::create(state_.builder, tensorLocation(tensor), type, data);
  lastConstant_ = op;
  values_[tensor] = op;
  return op;
}

} // namespace avocet::compiler
