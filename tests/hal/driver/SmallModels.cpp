//===- SmallModels.cpp - Models and memory for tests of the driver ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"

#include <cstring>

namespace avocet::hal::testing {

TestPool::TestPool(uint64_t bytes) {
  FileDescriptor file = std::move(createMemoryFile("test", bytes)).value();
  mapping_ = std::move(Mapping::map(file.get(), bytes, Mapping::Access::ReadWrite)).value();
  auto handle = std::make_shared<const FileDescriptor>(std::move(file));
  memory_ = std::make_shared<Memory>(Memory{Ashmem{std::move(handle), bytes}});
}

Operand tensor(OperandType type, std::vector<uint32_t> dimensions, OperandLifeTime lifetime) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  return operand;
}

template <typename T> static Operand constantOf(Model &model, OperandType type, T value) {
  Operand operand = tensor(type, {}, OperandLifeTime::ConstantCopy);
  operand.location = {0, model.operandValues.size(), sizeof(value), 0};
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  model.operandValues.insert(model.operandValues.end(), bytes, bytes + sizeof(value));
  return operand;
}

Operand scalarConstant(Model &model, int32_t value) { return constantOf(model, OperandType::Int32, value); }
Operand floatConstant(Model &model, float value) { return constantOf(model, OperandType::Float32, value); }

Model addModel(const std::vector<uint32_t> &dimensions) {
  Model model;
  Operand input = tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput);
  Operand output = tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphOutput);
  model.main.operands = {input, input, scalarConstant(model, 0), output};
  model.main.operations = {{OperationType::Add, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {3};
  return model;
}

Model addConstantModel(const std::vector<float> &constant) {
  Model model = addModel({static_cast<uint32_t>(constant.size())});
  TestPool pool(constant.size() * sizeof(float));
  std::memcpy(pool.bytes().data(), constant.data(), pool.bytes().size());
  model.pools = {pool.memory()};
  model.main.operands[1].lifetime = OperandLifeTime::ConstantReference;
  model.main.operands[1].location = {0, 0, pool.bytes().size(), 0};
  model.main.inputIndexes = {0};
  return model;
}

static std::vector<RequestArgument> place(const std::vector<uint64_t> &bytes, uint32_t pool) {
  std::vector<RequestArgument> arguments;
  uint64_t offset = 0;
  for (uint64_t length : bytes) {
    arguments.push_back({false, {pool, offset, length, 0}, {}});
    offset += length;
  }
  return arguments;
}

Request requestOf(const std::vector<uint64_t> &inputBytes, const std::vector<uint64_t> &outputBytes,
                  const TestPool &inputs, const TestPool &outputs) {
  return {place(inputBytes, 0), place(outputBytes, 1), {inputs.memory(), outputs.memory()}};
}

} // namespace avocet::hal::testing
