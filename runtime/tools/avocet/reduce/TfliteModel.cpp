//===- TfliteModel.cpp - A .tflite file that can be changed -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModel.h"

#include "avocet/base/File.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::tool {
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

} // namespace avocet::tool
