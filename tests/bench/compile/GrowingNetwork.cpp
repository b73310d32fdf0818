//===- GrowingNetwork.cpp - Networks with any count of one kind -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingNetwork.h"

#include "Tflite_generated.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace avocet::bench {
namespace {

using tflite::BuiltinOperator;

constexpr int32_t kExtent = 8;

class NetworkWriter {
public:
  /// All results have the shape of the input, unless they are made with another first extent.
  explicit NetworkWriter(int32_t rows = 1) : rows_(rows) {
    model_.version = 3;
    model_.buffers.emplace_back(std::make_unique<tflite::BufferT>());
    openGraph();
    input_ = addTensor();
    graph().inputs = {input_};
  }

  int32_t input() const { return input_; }

  /// Later tensors and operators belong to a new subgraph, of which the number is returned.
  int32_t openGraph() {
    model_.subgraphs.emplace_back(std::make_unique<tflite::SubGraphT>());
    graph_ = model_.subgraphs.size() - 1;
    return static_cast<int32_t>(graph_);
  }

  void returnToMain() { graph_ = 0; }
  void setInputs(std::vector<int32_t> inputs) { graph().inputs = std::move(inputs); }
  void setOutputs(std::vector<int32_t> outputs) { graph().outputs = std::move(outputs); }

  int32_t addTensor() { return addTensor(rows_); }

  int32_t addTensor(int32_t rows) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->shape = {rows, kExtent, kExtent, kExtent};
    tensor->name = "t" + std::to_string(graph().tensors.size());
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph().tensors.size() - 1);
  }

  /// Extends the name of the tensor to this length.
  void setNameLength(int32_t tensor, size_t length) {
    graph().tensors[static_cast<size_t>(tensor)]->name.resize(length, 'n');
  }

  /// A constant with other elements than the ones before.
  int32_t addConstant(const std::vector<int32_t> &shape) {
    const int32_t tensor = addTensor();
    graph().tensors[static_cast<size_t>(tensor)]->shape = shape;
    graph().tensors[static_cast<size_t>(tensor)]->buffer = static_cast<uint32_t>(model_.buffers.size());
    size_t elements = 1;
    for (int32_t extent : shape)
      elements *= static_cast<size_t>(extent);
    std::vector<float> values(elements);
    for (float &value : values)
      value = static_cast<float>(next_++ % 8191) / 8192 - 0.4f;
    auto buffer = std::make_unique<tflite::BufferT>();
    buffer->data.resize(elements * sizeof(float));
    std::memcpy(buffer->data.data(), values.data(), buffer->data.size());
    model_.buffers.push_back(std::move(buffer));
    return tensor;
  }

  /// Returns the result.
  int32_t add(BuiltinOperator code, std::vector<int32_t> inputs) { return add(code, std::move(inputs), rows_); }

  int32_t add(BuiltinOperator code, std::vector<int32_t> inputs, int32_t rows) {
    auto operation = std::make_unique<tflite::OperatorT>();
    operation->opcode_index = addCode(code);
    operation->inputs = std::move(inputs);
    const int32_t result = addTensor(rows);
    operation->outputs = {result};
    graph().operators.push_back(std::move(operation));
    return result;
  }

  /// Of the subgraph's last operator.
  template <typename Options> void setOptions(Options options) { graph().operators.back()->options.Set(options); }

  template <typename Options> void setMoreOptions(Options options) {
    graph().operators.back()->more_options.Set(options);
  }

  void addSignature(const std::string &key, int32_t input, int32_t output) {
    auto signature = std::make_unique<tflite::SignatureDefT>();
    auto named = [](const std::string &name, int32_t tensor) {
      auto entry = std::make_unique<tflite::NamedTensorT>();
      entry->name = name;
      entry->tensor = static_cast<uint32_t>(tensor);
      return entry;
    };
    signature->inputs.push_back(named("in", input));
    signature->outputs.push_back(named("out", output));
    signature->key = key;
    model_.signatures.push_back(std::move(signature));
  }

  /// The file, with this output of the main subgraph.
  std::string finish(int32_t output) {
    returnToMain();
    setOutputs({output});
    flatbuffers::FlatBufferBuilder builder;
    tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model_));
    return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
  }

private:
  tflite::SubGraphT &graph() { return *model_.subgraphs[graph_]; }

  uint32_t addCode(BuiltinOperator code) {
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = code;
    entry->deprecated_builtin_code = static_cast<int8_t>(code);
    model_.operator_codes.push_back(std::move(entry));
    return static_cast<uint32_t>(model_.operator_codes.size() - 1);
  }

  const int32_t rows_;
  tflite::ModelT model_;
  size_t graph_ = 0; ///< number of the subgraph being written
  int32_t input_ = 0;
  uint32_t next_ = 0; ///< of the numbers in constants
};

/// A short network beside the count.
std::string withTail(NetworkWriter &network) {
  return network.finish(network.add(BuiltinOperator::TANH, {network.input()}));
}

std::string operatorChain(uint32_t count) {
  NetworkWriter network;
  int32_t last = network.input(), earlier = last;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t next = i % 3 == 0   ? network.add(BuiltinOperator::TANH, {last})
                         : i % 3 == 1 ? network.add(BuiltinOperator::ADD, {last, earlier})
                                      : network.add(BuiltinOperator::MAXIMUM, {last, earlier});
    earlier = last;
    last = next;
  }
  return network.finish(last);
}

std::string convolutionChain(uint32_t count) {
  NetworkWriter network;
  tflite::Conv2DOptionsT options;
  options.stride_w = options.stride_h = 1;
  const int32_t filter = network.addConstant({kExtent, 1, 1, kExtent}), bias = network.addConstant({kExtent});
  int32_t last = network.input();
  for (uint32_t i = 0; i < count; ++i) {
    last = network.add(BuiltinOperator::CONV_2D, {last, filter, bias});
    network.setOptions(options);
  }
  return network.finish(last);
}

std::string constantChain(uint32_t count) {
  NetworkWriter network;
  int32_t last = network.input();
  for (uint32_t i = 0; i < count; ++i)
    last =
        network.add(i % 2 == 0 ? BuiltinOperator::ADD : BuiltinOperator::MUL, {last, network.addConstant({kExtent})});
  return network.finish(last);
}

/// All results are alive until the last of them exists. They are so large that SRAM is short at all counts.
std::string manyReaders(uint32_t count) {
  NetworkWriter network(8);
  std::vector<int32_t> results;
  for (uint32_t i = 0; i < count; ++i)
    results.push_back(network.add(i % 2 == 0 ? BuiltinOperator::TANH : BuiltinOperator::LOGISTIC, {network.input()}));
  int32_t last = network.input();
  for (int32_t result : results)
    last = network.add(BuiltinOperator::ADD, {last, result});
  return network.finish(last);
}

std::string joinedParts(uint32_t count) {
  constexpr uint32_t kParts = 500;
  NetworkWriter network;
  std::vector<int32_t> joined;
  uint32_t rows = 0;
  for (uint32_t done = 0; done < count; done += kParts) {
    std::vector<int32_t> parts;
    for (uint32_t i = done; i < std::min(count, done + kParts); ++i)
      parts.push_back(network.add(BuiltinOperator::TANH, {network.input()}));
    rows += static_cast<uint32_t>(parts.size());
    const auto extent = static_cast<int32_t>(parts.size());
    joined.push_back(network.add(BuiltinOperator::CONCATENATION, std::move(parts), extent));
    network.setOptions(tflite::ConcatenationOptionsT());
  }
  const int32_t result = network.add(BuiltinOperator::CONCATENATION, std::move(joined), static_cast<int32_t>(rows));
  network.setOptions(tflite::ConcatenationOptionsT());
  return network.finish(result);
}

std::string unusedTensors(uint32_t count) {
  NetworkWriter network;
  for (uint32_t i = 0; i < count; ++i)
    network.addTensor();
  return withTail(network);
}

/// Names of 400 bytes.
std::string longNames(uint32_t count) {
  NetworkWriter network;
  int32_t last = network.input();
  for (uint32_t i = 0; i < count; ++i) {
    last = network.add(BuiltinOperator::TANH, {last});
    network.setNameLength(last, 400);
  }
  return network.finish(last);
}

/// A hundred names of `count` bytes.
std::string nameLengths(uint32_t count) {
  NetworkWriter network;
  int32_t last = network.input();
  for (uint32_t i = 0; i < 100; ++i) {
    last = network.add(BuiltinOperator::TANH, {last});
    network.setNameLength(last, count);
  }
  return network.finish(last);
}

void addUnary(NetworkWriter &network, BuiltinOperator code) {
  const int32_t input = network.addTensor();
  network.setInputs({input});
  network.setOutputs({network.add(code, {input})});
}

std::string unusedSubgraphs(uint32_t count) {
  NetworkWriter network;
  for (uint32_t i = 0; i < count; ++i) {
    network.openGraph();
    addUnary(network, BuiltinOperator::TANH);
  }
  network.returnToMain();
  return withTail(network);
}

/// Operators that are defined by a subgraph each.
std::string usedSubgraphs(uint32_t count) {
  NetworkWriter network;
  int32_t last = network.input();
  for (uint32_t i = 0; i < count; ++i) {
    tflite::CompositeOptionsT options;
    options.decomposition_subgraph = network.openGraph();
    addUnary(network, BuiltinOperator::TANH);
    network.returnToMain();
    last = network.add(BuiltinOperator::STABLEHLO_COMPOSITE, {last});
    network.setMoreOptions(options);
  }
  return network.finish(last);
}

std::string signatures(uint32_t count) {
  NetworkWriter network;
  const int32_t output = network.add(BuiltinOperator::TANH, {network.input()});
  for (uint32_t i = 0; i < count; ++i)
    network.addSignature("signature" + std::to_string(i), network.input(), output);
  return network.finish(output);
}

constexpr GrowingKind kKinds[] = {
    {"operators", "a chain of element-wise operators", operatorChain},
    {"convolutions", "a chain of convolutions with one filter", convolutionChain},
    {"constants", "a chain of operators with a constant each", constantChain},
    {"readers", "operators that read one tensor, with their results alive together", manyReaders},
    {"parts", "tensors that concatenations join", joinedParts},
    {"tensors", "tensors that no operator uses", unusedTensors},
    {"names", "a chain of operators with names of 400 bytes", longNames},
    {"name-bytes", "bytes in each of 100 names", nameLengths},
    {"subgraphs", "subgraphs that no operator uses", unusedSubgraphs},
    {"used-subgraphs", "subgraphs that define an operator each", usedSubgraphs},
    {"signatures", "signatures of one subgraph", signatures},
};

} // namespace

std::span<const GrowingKind> growingKinds() { return kKinds; }

} // namespace avocet::bench
