//===- PartitionModel.cpp - Some nodes of the interpreter as a network - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PartitionModel.h"

#include "model/OperatorTables.h"
#include "model/TensorForm.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <set>

namespace avocet::delegate {
namespace {

constexpr uint32_t kFormatVersion = 3;
constexpr size_t kDescriptionBytes = size_t{1} << 16; ///< a first guess of a file without its constants
constexpr size_t kConstantAlignment = 16;             ///< force_align of Buffer.data
constexpr size_t kConstantOverhead = 64;              ///< at most, of a constant in the file
constexpr char kMark = '@';                           ///< around the number of a node in a name

std::string nodeName(int32_t node, size_t result) { return fmt::format("{0}{1}{0}{2}", kMark, node, result); }

Status writeOptions(const Graph &graph, const GraphNode &node, tflite::OperatorT &target) {
  if (node.registration.code == abi::kCustomOperator) {
    if (node.node.customOptionsBytes > 0 && node.node.customOptions == nullptr)
      return unsupported("has options at a null pointer");
    const auto *bytes = static_cast<const uint8_t *>(node.node.customOptions);
    target.custom_options.assign(bytes, bytes + std::max(0, node.node.customOptionsBytes));
    return Status::ok();
  }
  const OperatorRow *row = findOperator(static_cast<tflite::BuiltinOperator>(node.registration.code));
  if (row == nullptr)
    return unsupported("the delegate does not pass it on");
  if (node.registration.version < 1 || node.registration.version > row->lastVersion)
    return unsupported(fmt::format("version {}, must be 1 to {}", node.registration.version, row->lastVersion));
  if (row->write == nullptr)
    return Status::ok();
  if (node.node.parameters == nullptr)
    return unsupported("lacks its options");
  // The interpreter's own kernels use all members that it has, whatever the node's version.
  const int32_t readable =
      graph.isSince29() ? std::max(node.registration.version, row->versionOf29) : node.registration.version;
  return row->write(node.node.parameters, readable, target);
}

std::unique_ptr<tflite::OperatorCodeT> codeOf(const abi::Registration &registration) {
  auto code = std::make_unique<tflite::OperatorCodeT>();
  code->builtin_code = static_cast<tflite::BuiltinOperator>(registration.code);
  code->deprecated_builtin_code = static_cast<int8_t>(std::min<int32_t>(registration.code, 127));
  code->version = registration.version;
  if (registration.code == abi::kCustomOperator && registration.customName != nullptr)
    code->custom_code = registration.customName;
  return code;
}

} // namespace

Status checkNode(const Graph &graph, const GraphNode &node) {
  if (node.node.delegate != nullptr || node.registration.code == abi::kDelegateOperator)
    return unsupported("belongs to another delegate");
  tflite::OperatorT unused;
  AVOCET_RETURN_IF_ERROR(writeOptions(graph, node, unused));
  if (valuesOf(node.node.outputs).empty())
    return unsupported("has no results");
  for (int32_t index : valuesOf(node.node.outputs))
    if (index == abi::kOptionalTensor)
      return unsupported("omits a result");
  for (const abi::IntArray *list : {node.node.inputs, node.node.outputs, node.node.intermediates})
    for (int32_t index : valuesOf(list)) {
      if (index == abi::kOptionalTensor)
        continue;
      if (Status status = checkTensor(graph.tensor(index), list == node.node.intermediates); !status.isOk())
        return std::move(status).withContext(fmt::format("tensor {}", index));
      if (graph.tensor(index).isVariable && graph.numReaders(index) != 1)
        return unsupported(fmt::format("variable {} is used by {} nodes, must be one", index, graph.numReaders(index)));
    }
  return Status::ok();
}

int32_t nodeNamedIn(std::string_view text) {
  const size_t start = text.find(kMark);
  int32_t node = -1;
  if (start == std::string_view::npos)
    return node;
  const char *end = text.data() + text.size();
  auto [after, error] = std::from_chars(text.data() + start + 1, end, node);
  return error == std::errc() && after != end && *after == kMark ? node : -1;
}

Result<int32_t> PartitionModel::addTensor(const Graph &graph, int32_t tensor) {
  if (tensor == abi::kOptionalTensor)
    return tensor;
  auto [entry, isNew] = numbers_.try_emplace(tensor, static_cast<int32_t>(tensors_.size()));
  if (!isNew)
    return entry->second;
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<tflite::TensorT> form, tensorForm(graph.tensor(tensor)));
  if (isConstant(graph.tensor(tensor))) {
    form->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::make_unique<tflite::BufferT>());
  }
  model_.subgraphs[0]->tensors.push_back(std::move(form));
  tensors_.push_back(tensor);
  return entry->second;
}

Result<std::vector<int32_t>> PartitionModel::addTensors(const Graph &graph, std::span<const int32_t> tensors) {
  std::vector<int32_t> numbers;
  for (int32_t tensor : tensors) {
    AVOCET_ASSIGN_OR_RETURN(numbers.emplace_back(), addTensor(graph, tensor));
  }
  return numbers;
}

Status PartitionModel::addNode(const Graph &graph, const GraphNode &node, TensorNames names) {
  auto target = std::make_unique<tflite::OperatorT>();
  target->opcode_index = static_cast<uint32_t>(model_.operator_codes.size());
  model_.operator_codes.push_back(codeOf(node.registration));
  AVOCET_RETURN_IF_ERROR(writeOptions(graph, node, *target));
  AVOCET_ASSIGN_OR_RETURN(target->inputs, addTensors(graph, valuesOf(node.node.inputs)));
  AVOCET_ASSIGN_OR_RETURN(target->outputs, addTensors(graph, valuesOf(node.node.outputs)));
  AVOCET_ASSIGN_OR_RETURN(target->intermediates, addTensors(graph, valuesOf(node.node.intermediates)));
  for (size_t i = 0; names == TensorNames::OfNodes && i < target->outputs.size(); ++i)
    model_.subgraphs[0]->tensors[static_cast<size_t>(target->outputs[i])]->name = nodeName(node.index, i);
  model_.subgraphs[0]->operators.push_back(std::move(target));
  return Status::ok();
}

/// Inputs: what nodes read, and neither nodes nor the model provide.
void PartitionModel::addEnds(const Graph &graph, std::span<const int32_t> outputs) {
  std::set<int32_t> known{abi::kOptionalTensor};
  for (const GraphNode &node : graph.nodes())
    for (int32_t tensor : valuesOf(node.node.outputs))
      known.insert(tensor);
  for (const GraphNode &node : graph.nodes())
    for (int32_t tensor : valuesOf(node.node.inputs))
      if (!isConstant(graph.tensor(std::max(tensor, 0))) && known.insert(tensor).second)
        (graph.tensor(tensor).isVariable ? states_ : inputs_).push_back(tensor);
  for (int32_t tensor : outputs)
    if (numbers_.contains(tensor))
      outputs_.push_back(tensor);
  tflite::SubGraphT &subgraph = *model_.subgraphs[0];
  for (int32_t tensor : inputs_)
    subgraph.inputs.push_back(numbers_[tensor]);
  for (int32_t tensor : outputs_)
    subgraph.outputs.push_back(numbers_[tensor]);
}

Result<PartitionModel> PartitionModel::make(const Graph &graph, std::span<const int32_t> outputs, TensorNames names) {
  PartitionModel result;
  result.model_.version = kFormatVersion;
  result.model_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  result.model_.buffers.push_back(std::make_unique<tflite::BufferT>()); // buffer 0 is empty
  for (const GraphNode &node : graph.nodes())
    AVOCET_RETURN_IF_ERROR(result.addNode(graph, node, names));
  result.addEnds(graph, outputs);
  return result;
}

std::span<const int32_t> PartitionModel::shape(int32_t tensor) const {
  return model_.subgraphs[0]->tensors[static_cast<size_t>(numbers_.at(tensor))]->shape;
}

bool PartitionModel::hasNewInputShapes(const abi::Context &context) const {
  for (const std::vector<int32_t> *tensors : {&inputs_, &states_})
    for (int32_t tensor : *tensors)
      if (!std::ranges::equal(valuesOf(context.tensors[tensor].shape), shape(tensor)))
        return true;
  return false;
}

/// As Model::Pack() does, which takes constants only from vectors: the copies would take longer than all else.
flatbuffers::DetachedBuffer PartitionModel::pack(std::span<const std::span<const uint8_t>> constants) const {
  size_t bytes = kDescriptionBytes;
  for (std::span<const uint8_t> constant : constants)
    bytes += constant.size() + kConstantOverhead;
  flatbuffers::FlatBufferBuilder builder(bytes);
  auto codes =
      builder.CreateVector<flatbuffers::Offset<tflite::OperatorCode>>(model_.operator_codes.size(), [&](size_t i) {
        return tflite::CreateOperatorCode(builder, model_.operator_codes[i].get());
      });
  auto subgraphs = builder.CreateVector<flatbuffers::Offset<tflite::SubGraph>>(
      model_.subgraphs.size(), [&](size_t i) { return tflite::CreateSubGraph(builder, model_.subgraphs[i].get()); });
  auto buffers = builder.CreateVector<flatbuffers::Offset<tflite::Buffer>>(model_.buffers.size(), [&](size_t i) {
    if (constants[i].empty())
      return tflite::CreateBuffer(builder);
    builder.ForceVectorAlignment(constants[i].size(), 1, kConstantAlignment);
    return tflite::CreateBuffer(builder, builder.CreateVector(constants[i].data(), constants[i].size()));
  });
  builder.Finish(tflite::CreateModel(builder, model_.version, codes, subgraphs, 0, buffers), tflite::ModelIdentifier());
  return builder.Release();
}

flatbuffers::DetachedBuffer PartitionModel::write(const abi::Context &context) {
  tflite::SubGraphT &subgraph = *model_.subgraphs[0];
  const bool isResized = hasNewInputShapes(context);
  std::vector<std::span<const uint8_t>> constants(model_.buffers.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const abi::Tensor &tensor = context.tensors[tensors_[i]];
    tflite::TensorT &form = *subgraph.tensors[i];
    const auto shape = valuesOf(tensor.shape);
    if (isResized)
      form.shape.assign(shape.begin(), shape.end());
    if (form.buffer != 0)
      constants[form.buffer] = {static_cast<const uint8_t *>(tensor.data), tensor.bytes};
  }
  return pack(constants);
}

} // namespace avocet::delegate
