//===- TfliteModels.cpp - TFLite models of one operator -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModels.h"

#include "../../Conversion/NnToNpu/PlacedRunner.h"

#include "Import/Tflite/TfliteImport.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

std::unique_ptr<tflite::TensorT> tensorOf(const TestTensor &tensor, tflite::ModelT &model, std::string name) {
  auto result = std::make_unique<tflite::TensorT>();
  result->shape = tensor.shape;
  result->type = tensor.type;
  result->name = std::move(name);
  result->is_variable = tensor.isVariable;
  if (tensor.scale != 0) {
    result->quantization = std::make_unique<tflite::QuantizationT>();
    result->quantization->scale = {tensor.scale};
    result->quantization->zero_point = {tensor.zeroPoint};
  }
  if (!tensor.data.empty()) {
    result->buffer = model.buffers.size();
    model.buffers.push_back(std::make_unique<tflite::BufferT>());
    model.buffers.back()->data = tensor.data;
  }
  return result;
}

std::string fileOf(const TestModel &test) {
  tflite::ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.operator_codes.push_back(std::make_unique<tflite::OperatorCodeT>());
  model.operator_codes.back()->builtin_code = test.code;
  auto graph = std::make_unique<tflite::SubGraphT>();
  auto operation = std::make_unique<tflite::OperatorT>();
  for (const TestTensor &tensor : test.operands) {
    if (test.omitted.contains(operation->inputs.size())) {
      operation->inputs.push_back(-1);
      continue;
    }
    const auto index = static_cast<int32_t>(graph->tensors.size());
    operation->inputs.push_back(index);
    const bool isEmpty = llvm::is_contained(tensor.shape, 0);
    if (tensor.data.empty() && !tensor.isVariable && !isEmpty)
      graph->inputs.push_back(index);
    graph->tensors.push_back(tensorOf(tensor, model, "x" + std::to_string(index)));
  }
  for (const TestTensor &tensor : test.results) {
    operation->outputs.push_back(static_cast<int32_t>(graph->tensors.size()));
    graph->tensors.push_back(tensorOf(tensor, model, "y" + std::to_string(operation->outputs.size() - 1)));
  }
  graph->outputs = operation->outputs;
  operation->options = test.options;
  graph->operators.push_back(std::move(operation));
  model.subgraphs.push_back(std::move(graph));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite::Model::Pack(builder, &model), tflite::ModelIdentifier());
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
}

OwningOpRef<ModuleOp> import(MLIRContext &context, const TestModel &model) {
  return importTflite(&context, llvm::MemoryBuffer::getMemBufferCopy(fileOf(model), "model"));
}

std::vector<Bytes> runBytes(const TestModel &model, const std::vector<Bytes> &inputs) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<npu::NpuDialect>();
  ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &diagnostic) { ADD_FAILURE() << diagnostic.str(); });
  auto target = firmware::Target::load("e256");
  OwningOpRef<ModuleOp> module = import(context, model);
  if (!target || !module || failed(convertNnToNpu(*module, **target)))
    return {};
  PlacedRunner runner(*module->getOps<func::FuncOp>().begin(), **target);
  Result<std::vector<Bytes>> outputs = runner.run(inputs);
  EXPECT_TRUE(outputs) << outputs.status().message();
  return outputs ? *outputs : std::vector<Bytes>();
}

} // namespace

TestTensor ints(const std::vector<int32_t> &values) {
  return {{static_cast<int32_t>(values.size())}, TensorType::INT32, bytesOf(values)};
}
TestTensor scalar(int32_t value) { return {{}, TensorType::INT32, bytesOf(std::vector{value})}; }
TestTensor floats(std::vector<int32_t> shape, const std::vector<float> &values) {
  return {std::move(shape), TensorType::FLOAT32, bytesOf(values)};
}

std::string operationsOf(const TestModel &model) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { text += diagnostic.str() + "\n"; });
  OwningOpRef<ModuleOp> module = import(context, model);
  if (!module)
    return text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : (*module->getOps<func::FuncOp>().begin()).front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      stream << op.getName().stripDialect() << ' ';
  return StringRef(text).rtrim().str();
}

template <typename T> std::vector<T> run(const TestModel &model, const std::vector<std::vector<uint8_t>> &inputs) {
  std::vector<T> values;
  for (const Bytes &output : runBytes(model, inputs)) {
    auto *first = reinterpret_cast<const T *>(output.data());
    values.insert(values.end(), first, first + output.size() / sizeof(T));
  }
  return values;
}
template std::vector<float> run(const TestModel &, const std::vector<std::vector<uint8_t>> &);
template std::vector<int32_t> run(const TestModel &, const std::vector<std::vector<uint8_t>> &);
template std::vector<int8_t> run(const TestModel &, const std::vector<std::vector<uint8_t>> &);
template std::vector<int16_t> run(const TestModel &, const std::vector<std::vector<uint8_t>> &);
template std::vector<uint8_t> run(const TestModel &, const std::vector<std::vector<uint8_t>> &);

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

} // namespace avocet::compiler
