//===- TfliteCompact.cpp - Removes what no output needs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModel.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace avocet::tool {
namespace {

/// Old numbers to new ones, given out in order of first use.
class Renumbering {
public:
  uint32_t operator()(uint32_t old) {
    return numbers_.try_emplace(old, static_cast<uint32_t>(numbers_.size())).first->second;
  }

  /// The elements that were used, at their new places.
  template <typename T> void apply(std::vector<std::unique_ptr<T>> &elements) const {
    std::vector<std::unique_ptr<T>> kept(numbers_.size());
    for (const auto &[old, place] : numbers_)
      kept[place] = std::move(elements[old]);
    elements = std::move(kept);
  }

private:
  std::map<uint32_t, uint32_t> numbers_;
};

/// Subgraphs that an operator calls.
std::vector<int32_t> calledBy(const tflite::OperatorT &operation) {
  if (const auto *choice = operation.options.AsIfOptions())
    return {choice->then_subgraph, choice->else_subgraph};
  if (const auto *loop = operation.options.AsWhileOptions())
    return {loop->condition_subgraph, loop->body_subgraph};
  if (const auto *once = operation.options.AsCallOnceOptions())
    return {once->init_subgraph_index};
  if (const auto *composite = operation.more_options.AsCompositeOptions())
    return {composite->decomposition_subgraph};
  return {};
}

/// Removes operators whose results have no reader. Those without results have an effect and stay.
void dropDeadOperators(tflite::SubGraphT &graph) {
  std::set<int32_t> needed(graph.outputs.begin(), graph.outputs.end());
  std::vector<std::unique_ptr<tflite::OperatorT>> kept;
  for (auto next = graph.operators.rbegin(); next != graph.operators.rend(); ++next) {
    tflite::OperatorT &operation = **next;
    const auto isNeeded = [&](int32_t tensor) { return needed.contains(tensor); };
    if (!operation.outputs.empty() && std::ranges::none_of(operation.outputs, isNeeded))
      continue;
    needed.insert(operation.inputs.begin(), operation.inputs.end());
    kept.push_back(std::move(*next));
  }
  std::ranges::reverse(kept);
  graph.operators = std::move(kept);
}

/// An input of the main graph without a reader is dropped; a called graph keeps its interface.
void dropDeadInputs(tflite::SubGraphT &graph) {
  std::set<int32_t> used(graph.outputs.begin(), graph.outputs.end());
  for (const auto &operation : graph.operators)
    used.insert(operation->inputs.begin(), operation->inputs.end());
  std::erase_if(graph.inputs, [&](int32_t tensor) { return !used.contains(tensor); });
}

void renumberTensors(tflite::SubGraphT &graph) {
  Renumbering numbers;
  const auto renumber = [&](std::vector<int32_t> &tensors) {
    for (int32_t &tensor : tensors)
      tensor = tensor < 0 ? tensor : static_cast<int32_t>(numbers(static_cast<uint32_t>(tensor)));
  };
  renumber(graph.inputs);
  for (auto &operation : graph.operators) {
    renumber(operation->inputs);
    renumber(operation->intermediates);
    renumber(operation->outputs);
  }
  renumber(graph.outputs);
  numbers.apply(graph.tensors);
}

/// Subgraphs keep their numbers: unused ones become empty, and vanish at the end of the list.
void dropUncalledGraphs(tflite::ModelT &model) {
  std::set<size_t> called = {0};
  std::vector<size_t> waiting = {0};
  while (!waiting.empty()) {
    const size_t graph = waiting.back();
    waiting.pop_back();
    for (const auto &operation : model.subgraphs[graph]->operators)
      for (int32_t next : calledBy(*operation))
        if (next >= 0 && static_cast<size_t>(next) < model.subgraphs.size() && called.insert(next).second)
          waiting.push_back(static_cast<size_t>(next));
  }
  model.subgraphs.resize(*called.rbegin() + 1);
  for (size_t graph = 0; graph < model.subgraphs.size(); ++graph)
    if (!called.contains(graph))
      *model.subgraphs[graph] = tflite::SubGraphT();
}

/// Buffer 0 stays empty: tensors without a constant refer to it.
void shareBuffers(tflite::ModelT &model) {
  std::vector<std::unique_ptr<tflite::BufferT>> buffers;
  buffers.push_back(std::make_unique<tflite::BufferT>());
  std::map<std::vector<uint8_t>, uint32_t> numbers = {{{}, 0}};
  for (auto &graph : model.subgraphs)
    for (auto &tensor : graph->tensors) {
      const auto data = isConstant(model, *tensor) ? model.buffers[tensor->buffer]->data : std::vector<uint8_t>();
      const auto [place, isNew] = numbers.try_emplace(data, static_cast<uint32_t>(buffers.size()));
      tensor->buffer = place->second;
      if (isNew)
        buffers.emplace_back(std::make_unique<tflite::BufferT>())->data = data;
    }
  model.buffers = std::move(buffers);
}

void renumberCodes(tflite::ModelT &model) {
  Renumbering numbers;
  for (auto &graph : model.subgraphs)
    for (auto &operation : graph->operators)
      operation->opcode_index = numbers(operation->opcode_index);
  numbers.apply(model.operator_codes);
}

void compact(tflite::ModelT &model) {
  dropDeadOperators(mainGraph(model));
  dropDeadInputs(mainGraph(model));
  dropUncalledGraphs(model);
  for (auto &graph : model.subgraphs)
    renumberTensors(*graph);
  shareBuffers(model);
  renumberCodes(model);
}

} // namespace

std::optional<std::vector<uint8_t>> serialise(tflite::ModelT model) {
  compact(model);
  if (mainGraph(model).operators.empty() || mainGraph(model).outputs.empty())
    return std::nullopt;
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model));
  std::vector<uint8_t> bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  if (!parseTflite(bytes, ""))
    return std::nullopt;
  return bytes;
}

} // namespace avocet::tool
