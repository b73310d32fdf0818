//===- OnnxGraph.cpp - Graphs of an ONNX file -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxGraph.h"

#include "Import/Common/BorderTensors.h"
#include "Import/Common/Constants.h"
#include "Import/Common/ImportTypes.h"
#include "OnnxInputs.h"
#include "OnnxKeptNode.h"
#include "OnnxTypes.h"

#include "avocet/compiler/Support/Refusal.h"

using namespace mlir;

namespace avocet::compiler {

/// Graphs of branches and loops can be used many times: a small file could ask for any number of operations.
static constexpr uint32_t kMaxNodes = 1 << 17;

OnnxGraph::OnnxGraph(OnnxImport &import, const onnx_file::GraphProto &graph, OnnxGraph *outer)
    : state_(import), graph_(graph), outer_(outer) {
  for (const onnx_file::TensorProto &constant : graph.initializer())
    values_[constant.name()].constant = &constant;
}

OnnxValue *OnnxGraph::find(StringRef name) {
  for (OnnxGraph *graph = this; graph; graph = graph->outer_)
    if (auto found = graph->values_.find(name); found != graph->values_.end())
      return &found->second;
  return nullptr;
}

static Location named(StringRef name, Location file) {
  return NameLoc::get(StringAttr::get(file.getContext(), name), file);
}

Value OnnxGraph::valueOf(OnnxValue &known, StringRef name, Location location) {
  if (known.value || !known.constant)
    return known.value;
  const onnx_file::TensorProto &tensor = *known.constant;
  RefusalReason reason{("constant '" + name + "'").str(), "", "", "", ""};
  const Type element = onnxElement(state_.builder.getContext(), tensor.data_type());
  const SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  if (!element)
    reason = {reason.operation, "", "element type", onnxTypeName(tensor.data_type()), kOnnxElements.str()};
  else if (!isImportable(shape))
    reason = {reason.operation, "", "has rank at most 32 and 1 to 2^31 - 1 elements", "another shape", ""};
  const auto type = reason.rule.empty() ? RankedTensorType::get(shape, element) : RankedTensorType();
  const ElementsAttr elements = type ? onnxElements(state_, tensor, type) : ElementsAttr();
  if (type && !elements)
    reason = {reason.operation, "", "number of bytes", std::to_string(bytesOfElements(type)),
              std::to_string(kMaxComputedBytes)};
  if (!reason.rule.empty()) {
    state_.refused = true;
    emitRefusal(location, reason);
    return {};
  }
  state_.narrowsFloats |= tensor.data_type() == onnx_file::TensorProto::DOUBLE;
  return known.value = state_.addConstant(named(name, state_.location), type, elements);
}

LogicalResult OnnxGraph::createFunction(ModuleOp module) {
  FailureOr<SmallVector<OnnxInput>> inputs = inputsOf(state_, graph_);
  if (failed(inputs))
    return failure();
  MLIRContext *context = state_.builder.getContext();
  SmallVector<Type> types;
  for (const OnnxInput &input : *inputs)
    if (input.hasElements())
      types.push_back(input.type);
  if (failed(checkBorder(state_.location, {types.size(), static_cast<uint64_t>(graph_.output().size())})))
    return failure();
  state_.builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(state_.builder, state_.location, "main", FunctionType::get(context, types, {}));
  Block *body = function.addEntryBlock();
  state_.constants = body;
  state_.builder.setInsertionPointToEnd(body);
  unsigned position = 0;
  for (const OnnxInput &input : *inputs) {
    Value value;
    if (input.hasElements()) {
      value = body->getArgument(position);
      value.setLoc(named(input.name, state_.location));
      function.setArgAttr(position++, nn::kNameAttr, StringAttr::get(context, input.name));
    }
    if (input.data)
      value = state_.addConstant(named(input.name, state_.location), input.type,
                                 computedElements(input.type, input.name, [&](llvm::MutableArrayRef<char> bytes) {
                                   llvm::copy(*input.data, bytes.begin());
                                 }));
    values_[input.name] = {value};
  }
  return success();
}

/// Whether the import fails after all nodes were tried.
static bool endsRefused(const OnnxImport &state) {
  return state.refused && state.options.refused == RefusedOperators::Fail;
}

LogicalResult OnnxGraph::importGraph(ModuleOp module) {
  if (failed(createFunction(module)) || failed(importNodes()) || endsRefused(state_))
    return failure();
  FailureOr<SmallVector<Value>> results = outputs();
  if (failed(results))
    return failure();
  func::ReturnOp::create(state_.builder, state_.location, *results);
  auto function = state_.function();
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                     llvm::to_vector(ValueRange(*results).getTypes())));
  for (auto [position, output] : llvm::enumerate(graph_.output()))
    function.setResultAttr(position, nn::kNameAttr, state_.builder.getStringAttr(output.name()));
  return success();
}

FailureOr<SmallVector<Value>> OnnxGraph::importInto(OnnxOperation &user, ValueRange inputs) {
  SmallVector<StringRef> names;
  for (const onnx_file::ValueInfoProto &input : graph_.input())
    if (!values_.contains(input.name())) // others have a default
      names.push_back(input.name());
  if (names.size() != inputs.size())
    return user.malformed("passes " + Twine(inputs.size()) + " values to a graph that takes " + Twine(names.size()));
  for (auto [name, input] : llvm::zip_equal(names, inputs))
    values_[name] = {input};
  if (failed(importNodes()) || endsRefused(state_))
    return failure();
  return outputs();
}

LogicalResult OnnxGraph::importNodes() {
  for (const onnx_file::NodeProto &node : graph_.node())
    if (failed(importNode(node)))
      return failure();
  return success();
}

/// After a refusal: a value of a type that every operation refuses, so that later nodes are still checked. Their
/// refusals because of this value are not reported.
/// `read`: what makes it one.
static Value placeholder(OnnxImport &state, ValueRange read) {
  const auto type = RankedTensorType::get({1}, state.builder.getIndexType());
  return UnrealizedConversionCastOp::create(state.builder, state.location, type, read).getResult(0);
}

SmallVector<Value> OnnxGraph::refusedInputs(const onnx_file::NodeProto &node) {
  SmallVector<Value> refused;
  for (const std::string &name : node.input())
    if (const OnnxValue *known = name.empty() ? nullptr : find(name);
        known && known->value && elementOf(known->value).isIndex())
      refused.push_back(known->value);
  return refused;
}

LogicalResult OnnxGraph::importNode(const onnx_file::NodeProto &node) {
  OnnxOperation op(*this, node, state_.nodes);
  if (++state_.nodes > kMaxNodes)
    return op.malformed("is one of more than " + Twine(kMaxNodes) + " nodes, counting each use of a graph");
  if (const SmallVector<Value> refused = refusedInputs(node); !refused.empty()) {
    for (const std::string &name : node.output())
      values_[name] = {placeholder(state_, refused)};
    return success();
  }
  FailureOr<bool> isRefused = convertOperation(state_, op, findOnnxConverter(op));
  if (failed(isRefused) || (!*isRefused && failed(op.checkAttributes(*isRefused))))
    return failure();
  if (*isRefused)
    bindRefused(node, state_.nodes - 1);
  return success();
}

void OnnxGraph::bindRefused(const onnx_file::NodeProto &node, uint32_t index) {
  if (state_.options.refused == RefusedOperators::Fail) {
    for (const std::string &name : node.output())
      values_[name] = {placeholder(state_, {})};
    return;
  }
  const auto lookUp = [this](StringRef name) {
    OnnxValue *known = find(name);
    return known ? valueOf(*known, name, state_.location) : Value();
  };
  const auto results = keepNode(state_, graph_, node, index, lookUp)->getResults();
  for (auto [name, result] : llvm::zip_equal(node.output(), results))
    values_[name] = {result};
}

FailureOr<SmallVector<Value>> OnnxGraph::outputs() {
  SmallVector<Value> results;
  for (auto [position, output] : llvm::enumerate(graph_.output())) {
    OnnxValue *known = find(output.name());
    Value value = known ? valueOf(*known, output.name(), state_.location) : Value();
    if (value && llvm::is_contained(shapeOf(value), 0)) {
      emitRefusal(state_.location, {"graph output", std::to_string(position), "tensors have elements", "an extent of 0",
                                    "", "'" + output.name() + "'", "remove this tensor from the outputs of the model"});
      return failure();
    }
    if (!value && !state_.refused)
      emitError(state_.location) << "graph output '" << output.name() << "' is not computed by a node";
    if (!value)
      return failure();
    results.push_back(value);
  }
  return results;
}

void OnnxGraph::noteNeeded(Value value) {
  auto function = state_.function();
  for (BlockArgument argument : argumentsOf(value))
    if (argument.getOwner() == state_.constants)
      state_.needed.insert(cast<StringAttr>(function.getArgAttr(argument.getArgNumber(), nn::kNameAttr)).str());
}

} // namespace avocet::compiler
