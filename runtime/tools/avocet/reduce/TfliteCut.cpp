//===- TfliteCut.cpp - Parts of a .tflite network -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteEdits.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace avocet::tool {
namespace {

/// What the operators of a graph read and write; constants and omitted operands left out.
struct Flow {
  std::vector<int32_t> reads; ///< in order, each once
  std::set<int32_t> writes;
};

Flow flowOf(const tflite::ModelT &model, const std::vector<std::unique_ptr<tflite::OperatorT>> &operators) {
  Flow flow;
  std::set<int32_t> seen;
  for (const auto &operation : operators) {
    for (int32_t tensor : operation->inputs)
      if (tensor >= 0 && !isConstant(model, *mainGraph(model).tensors[static_cast<size_t>(tensor)]) &&
          !mainGraph(model).tensors[static_cast<size_t>(tensor)]->is_variable && seen.insert(tensor).second)
        flow.reads.push_back(tensor);
    flow.writes.insert(operation->outputs.begin(), operation->outputs.end());
  }
  return flow;
}

/// Splits the operators: returns those of the range, in order, and leaves the others.
std::vector<std::unique_ptr<tflite::OperatorT>> takeOperators(tflite::SubGraphT &graph, Range range) {
  std::vector<std::unique_ptr<tflite::OperatorT>> taken, kept;
  for (size_t i = 0; i < graph.operators.size(); ++i)
    (range.contains(i) ? taken : kept).push_back(std::move(graph.operators[i]));
  graph.operators = std::move(kept);
  return taken;
}

bool isSameForm(const tflite::TensorT &left, const tflite::TensorT &right) {
  return left.type == right.type && left.shape == right.shape;
}

/// The input that can stand for the operator's only result, or -1.
int32_t standIn(const tflite::ModelT &model, const tflite::OperatorT &operation) {
  const auto &tensors = mainGraph(model).tensors;
  if (operation.outputs.size() != 1)
    return -1;
  const tflite::TensorT &result = *tensors[static_cast<size_t>(operation.outputs[0])];
  for (int32_t input : operation.inputs)
    if (input >= 0 && !isConstant(model, *tensors[static_cast<size_t>(input)]) &&
        isSameForm(*tensors[static_cast<size_t>(input)], result))
      return input;
  return -1;
}

} // namespace

bool cutOperators(tflite::ModelT &model, Range operators) {
  tflite::SubGraphT &graph = mainGraph(model);
  const auto removed = takeOperators(graph, operators);
  if (removed.empty() || graph.operators.empty())
    return false;
  const Flow gone = flowOf(model, removed), stays = flowOf(model, graph.operators);
  for (int32_t tensor : stays.reads)
    if (gone.writes.contains(tensor))
      graph.inputs.push_back(tensor);
  std::erase_if(graph.outputs, [&](int32_t tensor) { return !stays.writes.contains(tensor); });
  for (int32_t tensor : gone.reads)
    if (stays.writes.contains(tensor) && std::ranges::find(graph.outputs, tensor) == graph.outputs.end())
      graph.outputs.push_back(tensor);
  return !graph.outputs.empty();
}

bool bypassOperators(tflite::ModelT &model, Range operators) {
  tflite::SubGraphT &graph = mainGraph(model);
  std::map<int32_t, int32_t> replaced;
  const auto current = [&](int32_t tensor) {
    auto found = replaced.find(tensor);
    return found == replaced.end() ? tensor : found->second;
  };
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    tflite::OperatorT &operation = *graph.operators[i];
    for (int32_t &tensor : operation.inputs)
      tensor = current(tensor);
    if (const int32_t input = operators.contains(i) ? standIn(model, operation) : -1; input >= 0)
      replaced[operation.outputs[0]] = input;
  }
  for (int32_t &tensor : graph.outputs)
    tensor = current(tensor);
  std::erase_if(graph.operators, [&](const auto &operation) {
    return operation->outputs.size() == 1 && replaced.contains(operation->outputs[0]);
  });
  return !replaced.empty();
}

bool dropOutputs(tflite::ModelT &model, Range outputs) {
  std::vector<int32_t> &all = mainGraph(model).outputs;
  if (outputs.first >= all.size() || outputs.size >= all.size())
    return false;
  const auto first = all.begin() + static_cast<ptrdiff_t>(outputs.first);
  all.erase(first, first + static_cast<ptrdiff_t>(std::min(outputs.size, all.size() - outputs.first)));
  return true;
}

bool dropAnnotations(tflite::ModelT &model) {
  model.signatures.clear();
  model.metadata.clear();
  model.metadata_buffer.clear();
  model.description.clear();
  for (auto &graph : model.subgraphs)
    for (auto &tensor : graph->tensors)
      if (tensor->quantization != nullptr) {
        tensor->quantization->min.clear();
        tensor->quantization->max.clear();
      }
  return true;
}

} // namespace avocet::tool
