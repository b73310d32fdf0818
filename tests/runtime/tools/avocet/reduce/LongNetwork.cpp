//===- LongNetwork.cpp - Networks for tests of the reducer ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"

#include <cstring>
#include <memory>
#include <vector>

namespace avocet::tool::test {
namespace {

using tflite::BuiltinOperator;

constexpr int32_t kExtent = 8;

class NetworkBuilder {
public:
  NetworkBuilder() {
    model_.version = 3;
    model_.subgraphs.emplace_back(std::make_unique<tflite::SubGraphT>());
    model_.buffers.emplace_back(std::make_unique<tflite::BufferT>());
    graph().inputs = {addTensor({1, kExtent, kExtent, kExtent})};
    last_ = earlier_ = graph().inputs[0];
  }

  void add(BuiltinOperator code) {
    auto operation = std::make_unique<tflite::OperatorT>();
    operation->opcode_index = addCode(code);
    operation->inputs = {last_};
    setOperands(code, *operation);
    earlier_ = last_;
    last_ = addTensor({1, kExtent, kExtent, kExtent});
    operation->outputs = {last_};
    graph().operators.push_back(std::move(operation));
  }

  tflite::ModelT finish() {
    graph().outputs = {last_};
    return model_;
  }

private:
  tflite::SubGraphT &graph() { return *model_.subgraphs[0]; }

  void setOperands(BuiltinOperator code, tflite::OperatorT &operation) {
    if (code == BuiltinOperator::CONV_2D) {
      tflite::Conv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      operation.options.Set(options);
      operation.inputs.push_back(addConstant({kExtent, 1, 1, kExtent}));
      operation.inputs.push_back(addConstant({kExtent}));
    } else if (code != BuiltinOperator::LOGISTIC && code != BuiltinOperator::TANH) {
      operation.inputs.push_back(code == BuiltinOperator::MUL ? addConstant({kExtent}) : earlier_);
    }
  }

  uint32_t addCode(BuiltinOperator code) {
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = code;
    entry->deprecated_builtin_code = static_cast<int8_t>(code);
    model_.operator_codes.push_back(std::move(entry));
    return static_cast<uint32_t>(model_.operator_codes.size() - 1);
  }

  int32_t addTensor(const std::vector<int32_t> &shape) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->shape = shape;
    tensor->name = "t" + std::to_string(graph().tensors.size());
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph().tensors.size() - 1);
  }

  int32_t addConstant(const std::vector<int32_t> &shape) {
    const int32_t tensor = addTensor(shape);
    std::vector<float> values(1);
    for (int32_t extent : shape)
      values.resize(values.size() * static_cast<size_t>(extent));
    for (float &value : values)
      value = static_cast<float>(next_++ % 17) / 16 - 0.4f;
    auto buffer = std::make_unique<tflite::BufferT>();
    buffer->data.resize(values.size() * sizeof(float));
    std::memcpy(buffer->data.data(), values.data(), buffer->data.size());
    graph().tensors[static_cast<size_t>(tensor)]->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::move(buffer));
    return tensor;
  }

  tflite::ModelT model_;
  int32_t last_ = 0, earlier_ = 0; ///< results
  uint32_t next_ = 0;              ///< of the numbers in constants
};

} // namespace

tflite::ModelT longNetwork(size_t operators) {
  constexpr BuiltinOperator kCodes[] = {BuiltinOperator::CONV_2D, BuiltinOperator::ADD,      BuiltinOperator::TANH,
                                        BuiltinOperator::SUB,     BuiltinOperator::CONV_2D,  BuiltinOperator::ADD,
                                        BuiltinOperator::MINIMUM, BuiltinOperator::LOGISTIC, BuiltinOperator::MUL,
                                        BuiltinOperator::ADD};
  NetworkBuilder builder;
  for (size_t i = 0; i < operators; ++i) {
    if (i == operators * 2 / 3)
      builder.add(BuiltinOperator::SUB);
    else if (i == operators * 2 / 3 + 1)
      builder.add(BuiltinOperator::MINIMUM);
    else
      builder.add(kCodes[i % std::size(kCodes)]);
  }
  return builder.finish();
}

std::string fileOf(const tflite::ModelT &model) {
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model));
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
}

} // namespace avocet::tool::test
