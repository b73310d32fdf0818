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
  std::vector<const Value *> inputs, outputs;
  std::string file; ///< of view()
};

PartitionModel::PartitionModel(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
PartitionModel::PartitionModel(PartitionModel &&) noexcept = default;
PartitionModel::~PartitionModel() = default;

/// All extents are known.
static hal::Operand operandOf(const Value &value) {
  return hal::onnxOperand(*borderType(value.element), std::vector<int32_t>(value.shape->begin(), value.shape->end()));
}

static std::vector<firmware::DataType> typesOf(const std::vector<const Value *> &values) {
  std::vector<firmware::DataType> types;
  for (const Value *value : values)
    types.push_back(*borderType(value->element));
  return types;
}

Result<PartitionModel> PartitionModel::make(const Graph &graph, const Partition &partition, NodeNames names) {
  auto contents = std::make_unique<Contents>();
  ModelWriter writer(graph, names);
  AVOCET_RETURN_IF_ERROR(writer.write(partition, contents->model));
  contents->constants = writer.takeConstants();
  contents->inputs = partition.inputs;
  contents->outputs = partition.outputs;
  for (const auto *values : {&partition.inputs, &partition.outputs})
    for (const Value *value : *values)
      if (!borderType(value->element) || (values == &partition.inputs && !value->shape))
        return unsupported("value '" + value->name + "' is none that can be an input or output of a network");
  return PartitionModel(std::move(contents));
}

/// Gives the inputs of a model known extents.
static void sampleInputs(google::protobuf::RepeatedPtrField<onnx_file::ValueInfoProto> &inputs,
                         const std::vector<const Value *> &values, const SampleExtents &samples) {
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<int64_t> shape = samples.shapeOf(*values[i]);
    onnx_file::TensorShapeProto &written =
        *inputs[static_cast<int>(i)].mutable_type()->mutable_tensor_type()->mutable_shape();
    for (size_t axis = 0; axis < shape.size(); ++axis)
      written.mutable_dim(static_cast<int>(axis))->set_dim_value(shape[axis]);
  }
}

plugin::NetworkView PartitionModel::view(const SampleExtents &samples) {
  plugin::NetworkView view{compiler::InputFormat::Onnx, {}};
  for (const Constant &constant : contents_->constants) {
    place(constant, view.pools.size(), 0);
    view.pools.push_back(constant.elements);
  }
  auto &inputs = *contents_->model.mutable_graph()->mutable_input();
  const auto open = inputs; // the other forms of the model keep open extents
  sampleInputs(inputs, contents_->inputs, samples);
  contents_->file = contents_->model.SerializeAsString();
  inputs = open;
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
  for (const Value *input : contents_->inputs)
    network.inputs.push_back(operandOf(*input));
  for (const Value *output : contents_->outputs)
    network.outputs.push_back(output->isFixed() ? operandOf(*output) : hal::onnxOutput(*borderType(output->element)));
  return network;
}

Result<OpenNetwork> PartitionModel::open() {
  AVOCET_ASSIGN_OR_RETURN(std::string bytes, file());
  return OpenNetwork{std::move(bytes), typesOf(contents_->inputs), typesOf(contents_->outputs)};
}

} // namespace avocet::ort
