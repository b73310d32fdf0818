//===- CustomNetwork.h - A network with custom operators --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_CAPI_CUSTOMNETWORK_H
#define AVOCET_TESTS_RUNTIME_CAPI_CUSTOMNETWORK_H

#include "Tflite_generated.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace avocet::capi::test {

/// A .tflite file with tensors of four floats, in which
///   square = x * x, half = Halve(square), sum = half + square, y = Scale(sum, factor)
/// Halve and Scale are custom, the attribute of Halve is the byte 2, and `factor` is the constant 3. Outputs: y, half,
/// x, factor.
class CustomNetwork {
public:
  static std::string file() {
    CustomNetwork network;
    const int32_t x = network.add("x"), square = network.add("square"), half = network.add("half"),
                  sum = network.add("sum"), factor = network.add("factor"), y = network.add("y");
    network.model_.buffers.emplace_back(std::make_unique<tflite::BufferT>());
    network.model_.buffers.back()->data = {0, 0, 64, 64};
    network.graph_->tensors[static_cast<size_t>(factor)]->buffer = 1;
    network.graph_->tensors[static_cast<size_t>(factor)]->shape = {1};
    network.compute(tflite::BuiltinOperator::MUL, {x, x}, square);
    network.compute(tflite::BuiltinOperator::CUSTOM, {square}, half, "Halve");
    network.graph_->operators.back()->custom_options = {2};
    network.compute(tflite::BuiltinOperator::ADD, {half, square}, sum);
    network.compute(tflite::BuiltinOperator::CUSTOM, {sum, factor}, y, "Scale");
    network.graph_->inputs = {x};
    network.graph_->outputs = {y, half, x, factor};
    network.model_.subgraphs.push_back(std::move(network.graph_));
    flatbuffers::FlatBufferBuilder builder;
    tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &network.model_));
    return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
  }

private:
  CustomNetwork() {
    model_.version = 3;
    model_.buffers.emplace_back(std::make_unique<tflite::BufferT>());
  }

  int32_t add(const char *name) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->name = name;
    tensor->type = tflite::TensorType::FLOAT32;
    tensor->shape = {4};
    graph_->tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph_->tensors.size() - 1);
  }

  void compute(tflite::BuiltinOperator kind, std::vector<int32_t> inputs, int32_t output, const char *custom = "") {
    auto code = std::make_unique<tflite::OperatorCodeT>();
    code->builtin_code = kind;
    code->deprecated_builtin_code = static_cast<int8_t>(kind);
    code->custom_code = custom;
    auto operation = std::make_unique<tflite::OperatorT>();
    operation->opcode_index = static_cast<uint32_t>(model_.operator_codes.size());
    operation->inputs = std::move(inputs);
    operation->outputs = {output};
    model_.operator_codes.push_back(std::move(code));
    graph_->operators.push_back(std::move(operation));
  }

  tflite::ModelT model_;
  std::unique_ptr<tflite::SubGraphT> graph_ = std::make_unique<tflite::SubGraphT>();
};

} // namespace avocet::capi::test

#endif // AVOCET_TESTS_RUNTIME_CAPI_CUSTOMNETWORK_H
