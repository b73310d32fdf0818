//===- OnnxKeptNode.cpp - Stand-ins for refused nodes -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxKeptNode.h"

#include "Import/Common/ImportTypes.h"
#include "OnnxInputs.h"
#include "OnnxTypes.h"

#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using onnx_file::AttributeProto;
using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::ValueInfoProto;

/// What the file records of a result; null: nothing.
const ValueInfoProto *recordOf(const GraphProto &graph, const std::string &name) {
  for (const auto *list : {&graph.value_info(), &graph.output()})
    for (const ValueInfoProto &each : *list)
      if (each.name() == name && each.type().has_tensor_type() && each.type().tensor_type().has_shape())
        return &each;
  return nullptr;
}

RankedTensorType recordedType(OnnxImport &import, const GraphProto &graph, const std::string &name) {
  const auto unknown = RankedTensorType::get({1}, import.builder.getIndexType());
  const ValueInfoProto *record = recordOf(graph, name);
  if (!record)
    return unknown;
  const auto &tensor = record->type().tensor_type();
  const Type element = onnxElement(import.builder.getContext(), tensor.elem_type());
  const auto shape = llvm::map_to_vector(tensor.shape().dim(),
                                         [&](const auto &dimension) { return extentOf(dimension, import.options); });
  const bool isKnown = element && llvm::all_of(shape, [](int64_t extent) { return extent >= 0; });
  // Float64 is computed as f32, so that the application would read other bytes than the file says.
  if (!isKnown || !isImportable(shape) || tensor.elem_type() == onnx_file::TensorProto::DOUBLE)
    return unknown;
  const auto type = RankedTensorType::get(shape, element);
  return isImportOnly(type) ? unknown : type;
}

bool isPlain(const AttributeProto &attribute) {
  switch (attribute.type()) {
  case AttributeProto::FLOAT:
  case AttributeProto::INT:
  case AttributeProto::STRING:
  case AttributeProto::FLOATS:
  case AttributeProto::INTS:
  case AttributeProto::STRINGS:
    return true;
  default:
    return false;
  }
}

KeptOperator describe(const NodeProto &node, uint32_t index, bool complete) {
  const std::string name = node.domain().empty() ? node.op_type() : node.domain() + "::" + node.op_type();
  KeptOperator kept{name, index, isDomainOfApplications(node.domain()) ? name : "", "", ""};
  if (!complete)
    kept.obstacle = kOperandObstacle;
  if (!llvm::all_of(node.attribute(), isPlain))
    kept.obstacle = "an attribute is a tensor, a graph or a type";
  if (kept.customName.empty() || !kept.obstacle.empty())
    return kept;
  NodeProto attributes;
  *attributes.mutable_attribute() = node.attribute();
  kept.attributes = attributes.SerializeAsString();
  return kept;
}

} // namespace

Operation *keepNode(OnnxImport &import, const GraphProto &graph, const NodeProto &node, uint32_t index,
                    ValueOfName valueOf) {
  SmallVector<Value> operands;
  bool complete = true;
  for (const std::string &name : node.input()) {
    Value value = name.empty() ? Value() : valueOf(name);
    const bool isUsable = value && !isImportOnly(value.getType());
    complete &= isUsable;
    if (isUsable)
      operands.push_back(value);
  }
  auto types = llvm::map_to_vector(node.output(),
                                   [&](const std::string &name) -> Type { return recordedType(import, graph, name); });
  const Location location = operatorLocation(node.name(), node.op_type(), index, import.location);
  return keepOperator(import.builder, location, describe(node, index, complete), types, operands);
}

} // namespace avocet::compiler
