//===- ModelWriter.cpp - Writes nodes of the runtime as an ONNX graph *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ModelWriter.h"

#include "model/Attributes.h"
#include "model/Elements.h"

#include <fmt/core.h>

namespace avocet::ort {
namespace {

using namespace onnx_file;

/// Of the form that is written here, whatever the application's model has.
constexpr int64_t kFormatVersion = 10;

void writeType(const Value &value, ValueInfoProto &written) {
  TypeProto::Tensor &type = *written.mutable_type()->mutable_tensor_type();
  type.set_elem_type(value.element);
  if (!value.shape)
    return;
  TensorShapeProto &shape = *type.mutable_shape();
  for (size_t axis = 0; axis < value.shape->size(); ++axis) {
    TensorShapeProto::Dimension &extent = *shape.add_dim();
    if ((*value.shape)[axis] >= 0)
      extent.set_dim_value((*value.shape)[axis]);
    else if (!value.extentNames[axis].empty())
      extent.set_dim_param(value.extentNames[axis]);
  }
}

} // namespace

Status ModelWriter::writeConstant(const Value &value, GraphProto &graph) {
  if (!isStoredAlike(value.element) || !value.isFixed())
    return unsupported(fmt::format("constant '{}' has elements of type {}", value.name, elementName(value.element)));
  TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(value.name);
  tensor.set_data_type(value.element);
  tensor.mutable_dims()->Assign(value.shape->begin(), value.shape->end());
  const abi::Value *initializer = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::ValueInfoGetInitializerValue>(value.info, &initializer));
  if (initializer == nullptr)
    return internalError(fmt::format("constant '{}' has no value", value.name));
  size_t bytes = 0;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorSizeInBytes>(initializer, &bytes));
  if (bytes == 0)
    return Status::ok();
  const void *data = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorData>(initializer, &data));
  constants_.push_back({&tensor, {static_cast<const uint8_t *>(data), bytes}});
  return Status::ok();
}

Status ModelWriter::writeSubgraph(const Graph &graph, GraphProto &written) {
  for (const Value *input : graph.inputs())
    written.add_input()->set_name(input->name);
  for (const Value *output : graph.outputs())
    written.add_output()->set_name(output->name);
  for (const Value *initializer : graph.initializers())
    AVOCET_RETURN_IF_ERROR(writeConstant(*initializer, written));
  for (const Node &node : graph.nodes())
    AVOCET_RETURN_IF_ERROR(writeNode(node, written).withContext(describe(node)));
  return Status::ok();
}

Status ModelWriter::writeSubgraphs(const Node &node, NodeProto &written) {
  size_t count = 0;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::NodeGetNumSubgraphs>(node.node, &count));
  std::vector<const abi::Graph *> graphs(count);
  std::vector<const char *> names(count);
  if (count > 0)
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::NodeGetSubgraphs>(node.node, graphs.data(), count, names.data()));
  for (size_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(runtime_, *graphs[i]));
    AttributeProto &attribute = *written.add_attribute();
    attribute.set_name(names[i]);
    attribute.set_type(AttributeProto::GRAPH);
    AVOCET_RETURN_IF_ERROR(writeSubgraph(graph, *attribute.mutable_g()));
  }
  return Status::ok();
}

Status ModelWriter::writeAttributes(const Node &node, NodeProto &written) {
  AVOCET_ASSIGN_OR_RETURN(
      const auto attributes,
      (runtime_.list<abi::NodeGetNumAttributes, abi::NodeGetAttributes, const abi::OpAttr *>(node.node)));
  for (const abi::OpAttr *attribute : attributes)
    AVOCET_RETURN_IF_ERROR(addAttribute(runtime_, *attribute, written));
  return writeSubgraphs(node, written);
}

Status ModelWriter::writeNode(const Node &node, GraphProto &graph) {
  NodeProto &written = *graph.add_node();
  written.set_name(names_ == NodeNames::OfModel ? node.name : fmt::format("{}#{}", node.type, node.id));
  written.set_op_type(node.type);
  written.set_domain(node.domain);
  for (const Value *input : node.inputs)
    written.add_input(input == nullptr ? "" : input->name);
  for (const Value *output : node.outputs)
    written.add_output(output == nullptr ? "" : output->name);
  return writeAttributes(node, written);
}

Status ModelWriter::write(const Partition &partition, ModelProto &model) {
  model.set_ir_version(kFormatVersion);
  for (const auto &[domain, version] : graph_.operatorSets()) {
    OperatorSetIdProto &set = *model.add_opset_import();
    set.set_domain(domain);
    set.set_version(version);
  }
  GraphProto &graph = *model.mutable_graph();
  graph.set_name("partition");
  for (const Value *input : partition.inputs) {
    ValueInfoProto &written = *graph.add_input();
    written.set_name(input->name);
    writeType(*input, written);
  }
  for (const Value *output : partition.outputs)
    graph.add_output()->set_name(output->name);
  for (const Node *node : partition.nodes) {
    for (const std::vector<const Value *> *values : {&node->inputs, &node->implicit})
      for (const Value *value : *values)
        if (value != nullptr && value->isConstant && written_.insert(value->name).second)
          AVOCET_RETURN_IF_ERROR(writeConstant(*value, graph).withContext(describe(*node)));
    AVOCET_RETURN_IF_ERROR(writeNode(*node, graph).withContext(describe(*node)));
  }
  return Status::ok();
}

} // namespace avocet::ort
