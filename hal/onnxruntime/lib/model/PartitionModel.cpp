//===- PartitionModel.cpp - Nodes of the runtime as an ONNX model *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PartitionModel.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/driver/OnnxExtension.h"
#include "model/Elements.h"
#include "model/ModelWriter.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

namespace avocet::ort {
namespace {

constexpr char kMark = '#';
constexpr uint64_t kAlignment = 64; ///< of constants in the pool, as the compiler needs it

void setEntry(onnx_file::TensorProto &tensor, const char *key, uint64_t number) {
  onnx_file::StringStringEntryProto &entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(std::to_string(number));
}

void place(const Constant &constant, uint64_t pool, uint64_t offset) {
  constant.tensor->set_data_location(onnx_file::TensorProto::EXTERNAL);
  constant.tensor->clear_external_data();
  setEntry(*constant.tensor, "pool", pool);
  setEntry(*constant.tensor, "offset", offset);
}

} // namespace

Partition partitionOf(const Graph &graph, std::span<const size_t> ids) {
  Partition partition;
  const std::set<size_t> wanted(ids.begin(), ids.end());
  std::set<const Value *> made, readByOthers, known;
  for (const Node &node : graph.nodes()) {
    const bool isWanted = wanted.contains(node.id);
    if (isWanted)
      partition.nodes.push_back(&node);
    for (const auto *values : {&node.inputs, &node.implicit})
      for (const Value *value : *values) {
        if (value == nullptr || value->isConstant)
          continue;
        if (!isWanted)
          readByOthers.insert(value);
        else if (!made.contains(value) && known.insert(value).second)
          partition.inputs.push_back(value);
      }
    if (isWanted)
      made.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const Node *node : partition.nodes)
    for (const Value *value : node->outputs)
      if (value != nullptr && (value->isOutput || readByOthers.contains(value)))
        partition.outputs.push_back(value);
  return partition;
}

std::optional<size_t> nodeNamedIn(const std::string &text) {
  const size_t mark = text.rfind(kMark);
  size_t id = 0;
  if (mark == std::string::npos)
    return std::nullopt;
  const char *end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + mark + 1, end, id);
  return error == std::errc() ? std::optional(id) : std::nullopt;
}

Status checkWritable(const Graph &graph, const Node &node) {
  onnx_file::ModelProto model;
  return ModelWriter(graph, NodeNames::OfModel).write(partitionOf(graph, {&node.id, 1}), model);
}

struct PartitionModel::Contents {
  onnx_file::ModelProto model;
  std::vector<Constant> constants;
  std::vector<hal::Operand> inputs, outputs;
  std::string file; ///< of view()
};

PartitionModel::PartitionModel(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
PartitionModel::PartitionModel(PartitionModel &&) noexcept = default;
PartitionModel::~PartitionModel() = default;

static Result<std::vector<hal::Operand>> operandsOf(const std::vector<const Value *> &values) {
  std::vector<hal::Operand> operands;
  for (const Value *value : values) {
    const std::optional<firmware::DataType> type = borderType(value->element);
    if (!type || !value->isFixed())
      return unsupported("value '" + value->name + "' is none that can be an input or output of a network");
    operands.push_back(hal::onnxOperand(*type, std::vector<int32_t>(value->shape->begin(), value->shape->end())));
  }
  return operands;
}

Result<PartitionModel> PartitionModel::make(const Graph &graph, const Partition &partition, NodeNames names) {
  auto contents = std::make_unique<Contents>();
  ModelWriter writer(graph, names);
  AVOCET_RETURN_IF_ERROR(writer.write(partition, contents->model));
  contents->constants = writer.takeConstants();
  AVOCET_ASSIGN_OR_RETURN(contents->inputs, operandsOf(partition.inputs));
  AVOCET_ASSIGN_OR_RETURN(contents->outputs, operandsOf(partition.outputs));
  return PartitionModel(std::move(contents));
}

plugin::NetworkView PartitionModel::view() {
  plugin::NetworkView view{compiler::InputFormat::Onnx, {}};
  for (const Constant &constant : contents_->constants) {
    place(constant, view.pools.size(), 0);
    view.pools.push_back(constant.elements);
  }
  contents_->file = contents_->model.SerializeAsString();
  view.file = {reinterpret_cast<const uint8_t *>(contents_->file.data()), contents_->file.size()};
  return view;
}

Result<std::string> PartitionModel::file() {
  onnx_file::ModelProto &model = contents_->model;
  uint64_t size = model.ByteSizeLong();
  for (const Constant &constant : contents_->constants)
    size += constant.elements.size();
  if (size >= INT32_MAX)
    return unsupported("the network has " + std::to_string(size) + " bytes, a context has less than 2 GiB");
  for (const Constant &constant : contents_->constants) {
    constant.tensor->clear_external_data();
    constant.tensor->clear_data_location();
    constant.tensor->set_raw_data(constant.elements.data(), constant.elements.size());
  }
  std::string bytes = model.SerializeAsString();
  for (const Constant &constant : contents_->constants)
    constant.tensor->clear_raw_data();
  return bytes;
}

Result<plugin::Network> PartitionModel::network() {
  plugin::Network network;
  network.format = compiler::InputFormat::Onnx;
  uint64_t size = 0;
  for (const Constant &constant : contents_->constants) {
    place(constant, 0, size);
    size = roundUp(size + constant.elements.size(), kAlignment);
  }
  if (size > 0) {
    AVOCET_ASSIGN_OR_RETURN(network.constants, plugin::Area::create(size));
    size = 0;
    for (const Constant &constant : contents_->constants) {
      std::memcpy(network.constants->data() + size, constant.elements.data(), constant.elements.size());
      size = roundUp(size + constant.elements.size(), kAlignment);
    }
  }
  const std::string file = contents_->model.SerializeAsString();
  network.file.assign(file.begin(), file.end());
  network.inputs = contents_->inputs;
  network.outputs = contents_->outputs;
  return network;
}

} // namespace avocet::ort
