//===- TfliteBorderTest.cpp - Limit of inputs, outputs, variables -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModels.h"

#include "Import/Tflite/TfliteImport.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace avocet::compiler {
namespace {

int32_t addTensor(tflite::ModelT &model, TestTensor tensor) {
  tflite::SubGraphT &graph = *model.subgraphs.front();
  auto added = std::make_unique<tflite::TensorT>();
  added->shape = tensor.shape;
  added->type = tensor.type;
  added->name = "t" + std::to_string(graph.tensors.size());
  added->is_variable = tensor.isVariable;
  if (!tensor.data.empty()) {
    added->buffer = static_cast<uint32_t>(model.buffers.size());
    model.buffers.push_back(std::make_unique<tflite::BufferT>());
    model.buffers.back()->data = tensor.data;
  }
  graph.tensors.push_back(std::move(added));
  return static_cast<int32_t>(graph.tensors.size()) - 1;
}

/// `count` SVDF operators on one input, each with its own state; the last result is the output.
std::string filters(uint32_t count) {
  tflite::ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.operator_codes.push_back(std::make_unique<tflite::OperatorCodeT>());
  model.operator_codes.back()->builtin_code = BuiltinOperator::SVDF;
  model.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  tflite::SubGraphT &graph = *model.subgraphs.front();
  const int32_t input = addTensor(model, {{1, 1}}), feature = addTensor(model, floats({1, 1}, {1})),
                time = addTensor(model, floats({1, 2}, {1, 1}));
  graph.inputs = {input};
  for (uint32_t i = 0; i < count; ++i) {
    auto operation = std::make_unique<tflite::OperatorT>();
    const int32_t state = addTensor(model, {.shape = {1, 2}, .isVariable = true});
    operation->inputs = {input, feature, time, -1, state};
    operation->outputs = {addTensor(model, {{1, 1}})};
    tflite::SVDFOptionsT options;
    options.rank = 1;
    operation->options = optionsOf(options);
    graph.outputs = operation->outputs;
    graph.operators.push_back(std::move(operation));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite::Model::Pack(builder, &model), tflite::ModelIdentifier());
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
}

std::string diagnosticsOf(const std::string &file) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { text += diagnostic.str() + "\n"; });
  const bool isRead = static_cast<bool>(importTflite(&context, llvm::MemoryBuffer::getMemBufferCopy(file, "model")));
  EXPECT_EQ(isRead, text.empty()) << text;
  return text;
}

TEST(TfliteBorderTest, VariablesCountAsInputsAndOutputs) {
  EXPECT_EQ(diagnosticsOf(filters(510)), "");
  EXPECT_EQ(
      diagnosticsOf(filters(511)),
      "the network has 1 inputs and 1 outputs and 511 variables, which are both; a device binds at most 1022 inputs "
      "and outputs; join some\n");
}

} // namespace
} // namespace avocet::compiler
