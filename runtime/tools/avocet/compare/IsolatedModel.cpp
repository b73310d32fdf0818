//===- IsolatedModel.cpp - Networks of one operator -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsolatedModel.h"

#include "reduce/TfliteModel.h"

#include <algorithm>
#include <map>

namespace avocet::tool {
namespace {

bool hasGraphs(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"IF", "WHILE", "CALL_ONCE", "STABLEHLO_COMPOSITE"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

/// Copies an operator with what it needs.
class Isolation {
public:
  explicit Isolation(const tflite::ModelT &model) : model_(model) {
    isolated_.version = model.version;
    isolated_.buffers.push_back(std::make_unique<tflite::BufferT>()); // number 0 is empty by convention
    isolated_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  }

  tflite::ModelT run(const tflite::OperatorT &operation) && {
    isolated_.operator_codes.push_back(
        std::make_unique<tflite::OperatorCodeT>(*model_.operator_codes[operation.opcode_index]));
    auto copy = std::make_unique<tflite::OperatorT>(operation);
    copy->opcode_index = 0;
    for (std::vector<int32_t> *tensors : {&copy->inputs, &copy->outputs, &copy->intermediates})
      for (int32_t &tensor : *tensors)
        tensor = numberOf(tensor);
    tflite::SubGraphT &graph = mainGraph(isolated_);
    for (int32_t input : copy->inputs)
      if (input >= 0 && isInput(*graph.tensors[static_cast<size_t>(input)]) &&
          std::ranges::find(graph.inputs, input) == graph.inputs.end())
        graph.inputs.push_back(input);
    graph.outputs = copy->outputs;
    graph.operators.push_back(std::move(copy));
    return std::move(isolated_);
  }

private:
  bool isInput(const tflite::TensorT &tensor) const { return !isConstant(isolated_, tensor) && !tensor.is_variable; }

  /// The number of a tensor's copy; -1 is an operand that is left out.
  int32_t numberOf(int32_t tensor) {
    if (tensor < 0)
      return tensor;
    const auto [place, isNew] = numbers_.try_emplace(tensor, static_cast<int32_t>(numbers_.size()));
    if (!isNew)
      return place->second;
    auto copy = std::make_unique<tflite::TensorT>(*mainGraph(model_).tensors[static_cast<size_t>(tensor)]);
    const tflite::BufferT &buffer = *model_.buffers[copy->buffer];
    copy->buffer = 0;
    if (!buffer.data.empty()) {
      copy->buffer = static_cast<uint32_t>(isolated_.buffers.size());
      isolated_.buffers.push_back(std::make_unique<tflite::BufferT>(buffer));
    }
    mainGraph(isolated_).tensors.push_back(std::move(copy));
    return place->second;
  }

  const tflite::ModelT &model_;
  tflite::ModelT isolated_;
  std::map<int32_t, int32_t> numbers_; ///< of tensors of the network in the isolated one
};

std::vector<std::string> namesOf(const tflite::ModelT &model, const std::vector<int32_t> &tensors) {
  std::vector<std::string> names;
  for (int32_t tensor : tensors)
    names.push_back(mainGraph(model).tensors[static_cast<size_t>(tensor)]->name);
  return names;
}

} // namespace

Result<IsolatedModel> isolateOperators(std::span<const uint8_t> file, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(const tflite::ModelT model, parseTflite(file, name));
  IsolatedModel result;
  result.inputs = namesOf(model, mainGraph(model).inputs);
  for (const auto &operation : mainGraph(model).operators) {
    IsolatedOperator &isolated = result.operators.emplace_back();
    isolated.kind = operatorName(model, *operation);
    isolated.outputs = namesOf(model, operation->outputs);
    if (hasGraphs(isolated.kind))
      continue;
    tflite::ModelT alone = Isolation(model).run(*operation);
    isolated.inputs = namesOf(alone, mainGraph(alone).inputs);
    if (auto bytes = serialise(std::move(alone)))
      isolated.file = std::move(*bytes);
  }
  return result;
}

} // namespace avocet::tool
