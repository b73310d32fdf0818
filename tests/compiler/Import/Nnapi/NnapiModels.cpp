//===- NnapiModels.cpp - NNAPI models of one operation ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiModels.h"

#include "nnapiModel_generated.h"

#include "Import/Nnapi/NnapiImport.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

nnapi::OperandT operandOf(const TestOperand &operand, nnapi::Lifetime lifetime) {
  nnapi::OperandT result;
  result.type = static_cast<int32_t>(operand.type);
  result.dimensions = operand.shape;
  result.scale = operand.scale;
  result.zero_point = operand.zeroPoint;
  result.lifetime = lifetime;
  result.data = operand.data;
  return result;
}

std::string modelOf(OperationType type, const std::vector<TestOperand> &operands,
                    const std::vector<TestOperand> &results) {
  nnapi::ModelT model;
  model.main = std::make_unique<nnapi::SubgraphT>();
  auto operation = std::make_unique<nnapi::OperationT>();
  operation->type = static_cast<int32_t>(type);
  auto add = [&](const TestOperand &operand, nnapi::Lifetime lifetime) {
    model.main->operands.push_back(std::make_unique<nnapi::OperandT>(operandOf(operand, lifetime)));
    return static_cast<uint32_t>(model.main->operands.size() - 1);
  };
  for (const TestOperand &operand : operands) {
    bool isInput = operand.data.empty();
    uint32_t index = add(operand, isInput ? nnapi::Lifetime::SubgraphInput : nnapi::Lifetime::ConstantCopy);
    operation->inputs.push_back(index);
    if (isInput)
      model.main->inputs.push_back(index);
  }
  for (const TestOperand &result : results)
    operation->outputs.push_back(add(result, nnapi::Lifetime::SubgraphOutput));
  model.main->outputs = operation->outputs;
  model.main->operations.push_back(std::move(operation));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(nnapi::Model::Pack(builder, &model), nnapi::ModelIdentifier());
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
}

template <typename Describe>
std::string import(OperationType type, const std::vector<TestOperand> &operands,
                   const std::vector<TestOperand> &results, Describe &&describe) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { text += diagnostic.str() + "\n"; });
  ImportNeeds needs;
  std::shared_ptr<llvm::MemoryBuffer> file =
      llvm::MemoryBuffer::getMemBufferCopy(modelOf(type, operands, results), "model");
  OwningOpRef<ModuleOp> module = importNnapi(&context, file, {}, needs);
  llvm::raw_string_ostream stream(text);
  if (module)
    describe(*module->getOps<func::FuncOp>().begin(), stream);
  else if (!needs.valueInputs.empty()) {
    stream << "inputs by value:";
    for (uint32_t input : needs.valueInputs)
      stream << ' ' << input;
  }
  return text;
}

} // namespace

TestOperand floats(std::vector<uint32_t> shape) { return {OperandType::TensorFloat32, std::move(shape)}; }
TestOperand bytes(std::vector<uint32_t> shape, float scale, int32_t zeroPoint) {
  return {OperandType::TensorQuant8Asymm, std::move(shape), {}, scale, zeroPoint};
}
TestOperand intInput(std::vector<uint32_t> shape) { return {OperandType::TensorInt32, std::move(shape)}; }
TestOperand ints(std::vector<int32_t> values) {
  return {OperandType::TensorInt32, {static_cast<uint32_t>(values.size())}, bytesOf(values)};
}
TestOperand scalar(int32_t value) { return {OperandType::Int32, {}, bytesOf(std::vector{value})}; }
TestOperand scalar(float value) { return {OperandType::Float32, {}, bytesOf(std::vector{value})}; }
TestOperand scalar(bool value) { return {OperandType::Bool, {}, {static_cast<uint8_t>(value)}}; }

std::string importOne(OperationType type, const std::vector<TestOperand> &operands,
                      const std::vector<TestOperand> &results) {
  return import(type, operands, results, [](func::FuncOp function, llvm::raw_ostream &stream) {
    llvm::interleave(function.getResultTypes(), stream, " ");
  });
}

std::string operationsOf(OperationType type, const std::vector<TestOperand> &operands,
                         const std::vector<TestOperand> &results) {
  return import(type, operands, results, [](func::FuncOp function, llvm::raw_ostream &stream) {
    auto operations = llvm::drop_end(function.front());
    llvm::interleave(operations, stream, [&](Operation &op) { stream << op.getName().stripDialect(); }, " ");
  });
}

} // namespace avocet::compiler
