//===- Model.cpp - A small .tflite model with its inputs ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace avocet::differential {

size_t elementBytes(TensorType type) {
  switch (type) {
  case TensorType::COMPLEX64:
  case TensorType::INT64:
    return 8;
  case TensorType::FLOAT32:
  case TensorType::INT32:
    return 4;
  case TensorType::FLOAT16:
  case TensorType::INT16:
    return 2;
  default:
    return 1;
  }
}

TestModel testModel(Bytes file, std::vector<Bytes> inputs) {
  TestModel model{std::move(file), std::move(inputs), {}, {}, {}};
  const tflite::SubGraph &graph = *tflite::GetModel(model.file.data())->subgraphs()->Get(0);
  for (int32_t output : *graph.outputs()) {
    const tflite::Tensor &tensor = *graph.tensors()->Get(static_cast<uint32_t>(output));
    const Shape shape = tensor.shape() ? Shape(tensor.shape()->begin(), tensor.shape()->end()) : Shape();
    model.outputs.push_back(tensor.type());
    model.outputBytes.push_back(static_cast<size_t>(numElements(shape)) * elementBytes(tensor.type()));
  }
  return model;
}

Model::Model() {
  model_.version = 3;
  model_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  // Buffer 0 is empty: tensors that are not constants refer to it.
  model_.buffers.push_back(std::make_unique<tflite::BufferT>());
}

int32_t Model::addTensor(const Shape &shape, const Element &element) {
  auto tensor = std::make_unique<tflite::TensorT>();
  tensor->shape = shape;
  tensor->has_rank = true;
  tensor->type = element.type;
  tensor->name = fmt::format("t{}", graph().tensors.size());
  if (!element.scales.empty()) {
    tensor->quantization = std::make_unique<tflite::QuantizationT>();
    tensor->quantization->scale = element.scales;
    tensor->quantization->zero_point = element.zeroPoints;
    tensor->quantization->quantized_dimension = element.axis;
  }
  graph().tensors.push_back(std::move(tensor));
  return static_cast<int32_t>(graph().tensors.size() - 1);
}

int32_t Model::addInput(const Shape &shape, const Element &element, Bytes values) {
  graph().inputs.push_back(addTensor(shape, element));
  inputs_.push_back(std::move(values));
  return graph().inputs.back();
}

int32_t Model::addConstant(const Shape &shape, const Element &element, const Bytes &values) {
  const int32_t tensor = addTensor(shape, element);
  auto buffer = std::make_unique<tflite::BufferT>();
  buffer->data = values;
  graph().tensors.back()->buffer = static_cast<uint32_t>(model_.buffers.size());
  model_.buffers.push_back(std::move(buffer));
  return tensor;
}

int32_t Model::addSparse(const Shape &shape, const Element &element, tflite::SparsityT sparsity, const Bytes &stored) {
  const int32_t tensor = addConstant(shape, element, stored);
  graph().tensors.back()->sparsity = std::make_unique<tflite::SparsityT>(std::move(sparsity));
  return tensor;
}

int32_t Model::addBlocks(const Shape &shape, const Element &element, const Bytes &values, const BlockScales &blocks) {
  const int32_t tensor = addConstant(shape, element, values);
  tflite::BlockwiseQuantizationT details;
  details.scales = blocks.scales;
  details.zero_points = -1;
  details.block_size = blocks.block;
  graph().tensors.back()->quantization = std::make_unique<tflite::QuantizationT>();
  graph().tensors.back()->quantization->details.Set(std::move(details));
  return tensor;
}

int32_t Model::addOutput(const Shape &shape, const Element &element) {
  graph().outputs.push_back(addTensor(shape, element));
  return graph().outputs.back();
}

void Model::addRun(std::vector<Bytes> values) {
  ++runs_;
  std::ranges::move(values, std::back_inserter(inputs_));
}

int32_t Model::addVariable(const Shape &shape, const Element &element) {
  const int32_t tensor = addTensor(shape, element);
  graph().tensors.back()->is_variable = true;
  return tensor;
}

tflite::OperatorT &Model::addOperator(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
  auto &codes = model_.operator_codes;
  auto known = std::ranges::find_if(codes, [&](const auto &entry) { return entry->builtin_code == code; });
  if (known == codes.end()) {
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = code;
    // Old readers have only this field; larger numbers do not fit in it.
    entry->deprecated_builtin_code = static_cast<int8_t>(std::min(static_cast<int32_t>(code), 127));
    known = codes.insert(codes.end(), std::move(entry));
  }
  auto op = std::make_unique<tflite::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(known - codes.begin());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  graph().operators.push_back(std::move(op));
  return *graph().operators.back();
}

uint32_t Model::openSubgraph() {
  model_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  current_ = model_.subgraphs.size() - 1;
  return static_cast<uint32_t>(current_);
}

int32_t Model::addParameter(const Shape &shape, const Element &element) {
  graph().inputs.push_back(addTensor(shape, element));
  return graph().inputs.back();
}

Element Model::element(int32_t tensor) const {
  const tflite::TensorT &described = *graph().tensors[static_cast<size_t>(tensor)];
  if (!described.quantization)
    return {.type = described.type};
  const tflite::QuantizationT &quantization = *described.quantization;
  return {described.type, quantization.scale, quantization.zero_point, quantization.quantized_dimension};
}

const Bytes &Model::bytes(int32_t tensor) const {
  const auto input = std::ranges::find(graph().inputs, tensor);
  if (input != graph().inputs.end())
    return inputs_[static_cast<size_t>(input - graph().inputs.begin())];
  return model_.buffers[graph().tensors[static_cast<size_t>(tensor)]->buffer]->data;
}

void Model::setVersion(int32_t version) {
  for (auto &code : model_.operator_codes)
    code->version = version;
}

TestModel Model::finish() const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite::Model::Pack(builder, &model_), tflite::ModelIdentifier());
  TestModel done = testModel({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}, inputs_);
  done.expected = expected_;
  const size_t outputs = done.outputs.size();
  for (size_t more = outputs * (runs_ - 1); more > 0; --more) {
    done.outputs.push_back(done.outputs[done.outputs.size() - outputs]);
    done.outputBytes.push_back(done.outputBytes[done.outputBytes.size() - outputs]);
  }
  return done;
}

} // namespace avocet::differential
