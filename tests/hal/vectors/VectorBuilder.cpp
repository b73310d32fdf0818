//===- VectorBuilder.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBuilder.h"

#include <gtest/gtest.h>

namespace avocet::hal::conformance {
namespace {

uint32_t bytesPerElement(OperandType type) {
  switch (type) {
  case OperandType::TensorFloat32:
  case OperandType::TensorInt32:
    return 4;
  case OperandType::TensorFloat16:
    return 2;
  default:
    return 1;
  }
}

std::unique_ptr<vectors::OperandT> tensor(OperandType type, uint32_t count, vectors::Lifetime lifetime) {
  auto operand = std::make_unique<vectors::OperandT>();
  operand->type = static_cast<int32_t>(type);
  operand->dimensions = {count};
  operand->lifetime = lifetime;
  if (type == OperandType::TensorQuant8Asymm) {
    operand->scale = 0.5f;
    operand->zero_point = 100;
  }
  return operand;
}

vectors::Tolerance toleranceOf(OperandType type) {
  switch (type) {
  case OperandType::TensorFloat32:
    return vectors::Tolerance::Float32;
  case OperandType::TensorInt32:
    return vectors::Tolerance::Int32;
  case OperandType::TensorFloat16:
    return vectors::Tolerance::Float16;
  default:
    return vectors::Tolerance::Quant8;
  }
}

} // namespace

vectors::CaseT identityCase(const std::string &name, OperandType type, const Bytes &values, vectors::Kind kinds) {
  const auto count = static_cast<uint32_t>(values.size() / bytesPerElement(type));
  vectors::CaseT made;
  made.name = name;
  made.kinds = kinds;
  made.main = std::make_unique<vectors::SubgraphT>();
  made.main->operands.push_back(tensor(type, count, vectors::Lifetime::SubgraphInput));
  made.main->operands.push_back(tensor(type, count, vectors::Lifetime::SubgraphOutput));
  auto operation = std::make_unique<vectors::OperationT>();
  operation->type = static_cast<int32_t>(OperationType::Relu);
  operation->inputs = {0};
  operation->outputs = {1};
  made.main->operations.push_back(std::move(operation));
  made.main->inputs = {0};
  made.main->outputs = {1};
  auto input = std::make_unique<vectors::InputValueT>();
  input->data = values;
  auto output = std::make_unique<vectors::ExpectedOutputT>();
  output->data = values;
  output->dimensions = {count};
  output->tolerance = toleranceOf(type);
  made.examples.push_back(std::make_unique<vectors::ExampleT>());
  made.examples[0]->inputs.push_back(std::move(input));
  made.examples[0]->outputs.push_back(std::move(output));
  return made;
}

vectors::Kind usualKinds() { return vectors::Kind::General | vectors::Kind::DynamicShape; }

Bytes pack(std::vector<vectors::CaseT> cases, vectors::Suite suite) {
  vectors::SpecFileT root;
  root.format_version = 1;
  root.spec = "spec";
  root.bucket = "own";
  root.suite = suite;
  for (vectors::CaseT &entry : cases)
    root.cases.push_back(std::make_unique<vectors::CaseT>(std::move(entry)));
  flatbuffers::FlatBufferBuilder builder;
  vectors::FinishSpecFileBuffer(builder, vectors::SpecFile::Pack(builder, &root));
  return Bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

std::shared_ptr<const VectorFile> fileOf(std::vector<vectors::CaseT> cases, vectors::Suite suite) {
  auto file = VectorFile::adopt(pack(std::move(cases), suite), "test");
  EXPECT_TRUE(file.isOk()) << file.status().toString();
  return file.isOk() ? *file : nullptr;
}

} // namespace avocet::hal::conformance
