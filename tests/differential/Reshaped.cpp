//===- Reshaped.cpp - A model whose inputs get new shapes -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshaped.h"

#include <algorithm>

namespace avocet::differential {
namespace {

bool isConstant(const tflite::ModelT &model, const tflite::TensorT &tensor) {
  return tensor.buffer < model.buffers.size() && !model.buffers[tensor.buffer]->data.empty();
}

/// An extent that is possible, and not the true one. Tensors without elements keep theirs.
int32_t otherExtent(int32_t extent) { return extent == 1 ? 2 : std::min(extent, 1); }

bool hasExtents(const std::vector<Shape> &shapes) {
  return std::ranges::any_of(shapes, [](const Shape &shape) { return !shape.empty(); });
}

} // namespace

TestModel reshaped(const TestModel &model) {
  TestModel result = model;
  tflite::ModelT file;
  tflite::GetModel(model.file.data())->UnPackTo(&file);
  const tflite::SubGraphT &main = *file.subgraphs[0];
  result.shapes.clear();
  for (int32_t input : main.inputs)
    result.shapes.push_back(main.tensors[static_cast<size_t>(input)]->shape);
  if (!hasExtents(result.shapes))
    return model; // whose results follow from constants
  for (const auto &graph : file.subgraphs)
    for (const auto &tensor : graph->tensors)
      if (!tensor->is_variable && !isConstant(file, *tensor))
        for (int32_t &extent : tensor->shape)
          extent = otherExtent(extent);
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &file));
  result.file.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  return result;
}

} // namespace avocet::differential
