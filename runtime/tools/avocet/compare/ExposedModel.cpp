//===- ExposedModel.cpp - A network that shows its tensors ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExposedModel.h"

#include "Tflite_generated.h"

#include <set>

namespace avocet::tool {

/// Tensors without a type that a file of raw numbers can hold.
static bool isShown(const tflite::TensorT &tensor) {
  switch (tensor.type) {
  case tflite::TensorType::FLOAT32:
  case tflite::TensorType::INT32:
  case tflite::TensorType::UINT8:
  case tflite::TensorType::INT64:
  case tflite::TensorType::BOOL:
  case tflite::TensorType::INT16:
  case tflite::TensorType::INT8:
    return !tensor.is_variable;
  default:
    return false;
  }
}

Result<ExposedModel> exposeTensors(std::span<const uint8_t> file) {
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!tflite::VerifyModelBuffer(verifier))
    return dataLoss("the file is no .tflite network");
  std::unique_ptr<tflite::ModelT> model(tflite::GetModel(file.data())->UnPack());
  if (model->subgraphs.empty())
    return dataLoss("the network has no subgraph");
  tflite::SubGraphT &graph = *model->subgraphs.front();
  ExposedModel exposed;
  graph.outputs.clear();
  std::set<int32_t> taken;
  for (const auto &op : graph.operators)
    for (int32_t output : op->outputs) {
      if (output < 0 || static_cast<size_t>(output) >= graph.tensors.size())
        return dataLoss("an operator of the network writes a tensor that does not exist");
      if (!isShown(*graph.tensors[output]) || !taken.insert(output).second)
        continue;
      graph.outputs.push_back(output);
      exposed.names.push_back(graph.tensors[output]->name);
    }
  model->signatures.clear(); // they name the old outputs
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, model.get()));
  exposed.file.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  return exposed;
}

} // namespace avocet::tool
