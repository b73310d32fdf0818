//===- TfliteModel.cpp - A .tflite file that can be changed -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/TfliteModel.h"

#include "avocet/base/File.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace avocet::analysis {
namespace {

/// As the importer's: deepest nesting and largest number of tables.
constexpr flatbuffers::uoffset_t kMaxDepth = 64, kMaxTables = 4'000'000;

Status damaged(const std::string &name, const std::string &what) {
  return dataLoss(fmt::format("{}: {}; reduce accepts what 'avocet compile' can read", name, what));
}

/// Offsets 0 and 1 are place holders of writers.
bool isOutside(const tflite::BufferT &buffer) { return buffer.offset > 1; }

Status fetchOutsideData(tflite::ModelT &model, std::span<const uint8_t> bytes, const std::string &name) {
  for (auto &buffer : model.buffers) {
    if (isOutside(*buffer)) {
      if (buffer->offset > bytes.size() || buffer->size > bytes.size() - buffer->offset)
        return damaged(name, "a constant lies beyond the end of the file");
      const auto data = bytes.subspan(buffer->offset, buffer->size);
      buffer->data.assign(data.begin(), data.end());
    }
    buffer->offset = buffer->size = 0;
  }
  return Status::ok();
}

bool areInside(const std::vector<int32_t> &indices, int32_t least, size_t count) {
  return std::ranges::all_of(indices, [&](int32_t i) { return i >= least && i < static_cast<int64_t>(count); });
}

bool areOperatorsValid(const tflite::ModelT &model, const tflite::SubGraphT &graph) {
  const size_t tensors = graph.tensors.size();
  return std::ranges::all_of(graph.operators, [&](const auto &operation) {
    return operation->opcode_index < model.operator_codes.size() && areInside(operation->inputs, -1, tensors) &&
           areInside(operation->outputs, 0, tensors) && areInside(operation->intermediates, -1, tensors);
  });
}

bool isGraphValid(const tflite::ModelT &model, const tflite::SubGraphT &graph) {
  const auto isTensorValid = [&](const auto &tensor) {
    return (tensor->buffer == 0 || tensor->buffer < model.buffers.size()) &&
           std::ranges::all_of(tensor->shape, [](int32_t extent) { return extent >= 0; });
  };
  return std::ranges::all_of(graph.tensors, isTensorValid) && areInside(graph.inputs, 0, graph.tensors.size()) &&
         areInside(graph.outputs, 0, graph.tensors.size()) && areOperatorsValid(model, graph);
}

/// The verifier checks the alignment of a vector's length, not of its elements. Writers do not align an empty vector.
bool isAligned(const flatbuffers::Vector<int64_t> *values) {
  return values == nullptr || values->size() == 0 || reinterpret_cast<uintptr_t>(values->Data()) % sizeof(int64_t) == 0;
}

/// Of a verified file: only zero points are wide elements.
bool areZeroPointsAligned(const tflite::Model &model) {
  if (model.subgraphs() == nullptr)
    return true;
  for (const tflite::SubGraph *graph : *model.subgraphs())
    for (uint32_t i = 0; graph->tensors() != nullptr && i < graph->tensors()->size(); ++i)
      if (const auto *quantization = graph->tensors()->Get(i)->quantization();
          quantization != nullptr && !isAligned(quantization->zero_point()))
        return false;
  return true;
}

/// Options of a kind that the schema omits have no content here.
void dropUnknownOptions(tflite::SubGraphT &graph) {
  for (auto &operation : graph.operators) {
    if (operation->options.value == nullptr)
      operation->options.Reset();
    if (operation->more_options.value == nullptr)
      operation->more_options.Reset();
  }
}

} // namespace

bool isTflite(std::span<const uint8_t> bytes) {
  return bytes.size() >= 8 && tflite::ModelBufferHasIdentifier(bytes.data());
}

Result<tflite::ModelT> parseTflite(std::span<const uint8_t> bytes, const std::string &name) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !tflite::VerifyModelBuffer(verifier))
    return damaged(name, "is not a TFLite flatbuffer, or it is truncated or corrupt");
  if (!areZeroPointsAligned(*tflite::GetModel(bytes.data())))
    return damaged(name, "has zero points that are not at a multiple of 8 bytes");
  tflite::ModelT model;
  tflite::GetModel(bytes.data())->UnPackTo(&model);
  if (model.subgraphs.empty())
    return damaged(name, "has no subgraph");
  AVOCET_RETURN_IF_ERROR(fetchOutsideData(model, bytes, name));
  for (auto &graph : model.subgraphs) {
    if (!isGraphValid(model, *graph))
      return damaged(name, "an operator or a tensor refers to something that the file does not have");
    dropUnknownOptions(*graph);
  }
  return model;
}

std::optional<tflite::ModelT> readTflite(const std::string &path) {
  const Result<std::vector<uint8_t>> file = readFile(path);
  if (!file || !isTflite(*file))
    return std::nullopt;
  Result<tflite::ModelT> model = parseTflite(*file, path);
  return model ? std::optional(std::move(*model)) : std::nullopt;
}

bool isConstant(const tflite::ModelT &model, const tflite::TensorT &tensor) {
  return tensor.buffer < model.buffers.size() && !model.buffers[tensor.buffer]->data.empty();
}

std::string operatorName(const tflite::ModelT &model, const tflite::OperatorT &operation) {
  const tflite::OperatorCodeT &code = *model.operator_codes[operation.opcode_index];
  const auto number = std::max(code.builtin_code, static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code));
  if (number == tflite::BuiltinOperator::CUSTOM)
    return fmt::format("CUSTOM({})", code.custom_code);
  const std::string_view name = tflite::EnumNameBuiltinOperator(number);
  return name.empty() ? fmt::format("operator {}", static_cast<int32_t>(number)) : std::string(name);
}

size_t elementBytes(tflite::TensorType type) {
  switch (type) {
  case tflite::TensorType::INT64:
  case tflite::TensorType::UINT64:
  case tflite::TensorType::FLOAT64:
    return 8;
  case tflite::TensorType::FLOAT32:
  case tflite::TensorType::INT32:
  case tflite::TensorType::UINT32:
    return 4;
  case tflite::TensorType::FLOAT16:
  case tflite::TensorType::BFLOAT16:
  case tflite::TensorType::INT16:
  case tflite::TensorType::UINT16:
    return 2;
  case tflite::TensorType::INT8:
  case tflite::TensorType::UINT8:
  case tflite::TensorType::BOOL:
    return 1;
  default:
    return 0;
  }
}

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

std::optional<std::vector<uint8_t>> serialize(tflite::ModelT model) {
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

} // namespace avocet::analysis
