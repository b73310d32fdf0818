//===- TestModels.cpp - Small models and their memory ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Utils.h"

#include <gtest/gtest.h>

#include <cstring>

namespace avocet::hal::test {

using enum OperandType;

Operand vectorOf(uint32_t length) { return tensor(TensorFloat32, {length}); }

Model chain(bool isOpen) {
  Model model;
  GraphBuilder graph(model, model.main);
  const Operand inner = vectorOf(isOpen ? 0 : kLength);
  const uint32_t none = graph.scalar(0);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t sum = graph.temporary(inner);
  const uint32_t positive = graph.temporary(inner);
  const uint32_t product = graph.output(inner);
  graph.operation(OperationType::Add, {x, x, none}, {sum});
  graph.operation(OperationType::Relu, {sum}, {positive});
  graph.operation(OperationType::Mul, {positive, x, none}, {product});
  return model;
}

Model branch(bool isOpen) {
  Model model;
  const Operand inner = vectorOf(isOpen ? 0 : kLength);
  model.referenced.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    GraphBuilder graph(model, model.referenced[i]);
    const uint32_t none = graph.scalar(0);
    const uint32_t x = graph.input(inner);
    const uint32_t result = graph.output(inner);
    graph.operation(i == 0 ? OperationType::Add : OperationType::Mul, {x, x, none}, {result});
  }
  GraphBuilder graph(model, model.main);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t flag = graph.input(tensor(TensorBool8, {1}));
  const uint32_t result = graph.output(inner);
  graph.operation(OperationType::If, {flag, graph.subgraph(0), graph.subgraph(1), x}, {result});
  return model;
}

Model loop(float limit) {
  Model model;
  model.referenced.resize(2);
  GraphBuilder condition(model, model.referenced[0]);
  const uint32_t bound = condition.constant(vectorOf(1));
  std::memcpy(model.operandValues.data(), &limit, sizeof(limit));
  const uint32_t value = condition.input(vectorOf(1));
  const uint32_t isLess = condition.output(tensor(TensorBool8, {1}));
  condition.operation(OperationType::Less, {value, bound}, {isLess});
  GraphBuilder body(model, model.referenced[1]);
  const uint32_t none = body.scalar(0);
  const uint32_t x = body.input(vectorOf(1));
  const uint32_t next = body.output(vectorOf(1));
  body.operation(OperationType::Add, {x, x, none}, {next});
  GraphBuilder graph(model, model.main);
  const uint32_t start = graph.input(vectorOf(1));
  const uint32_t end = graph.output(vectorOf(1));
  graph.operation(OperationType::While, {graph.subgraph(0), graph.subgraph(1), start}, {end});
  return model;
}

static std::span<uint8_t> bytesOf(Mapping &mapping, const DataLocation &location) {
  return mapping.bytes().subspan(location.offset, location.length);
}

Mapping mapMemory(const SharedMemory &memory) {
  auto mapping = Mapping::map(std::get<Ashmem>(memory->handle).fd->get(), sizeOf(*memory), Mapping::Access::ReadWrite);
  EXPECT_TRUE(mapping.isOk());
  return mapping ? std::move(mapping).value() : Mapping();
}

Buffers::Buffers(const std::vector<std::vector<float>> &inputs, const std::vector<uint64_t> &outputBytes)
    : memory_(ashmem(4096)) {
  request_.pools.emplace_back(memory_);
  Mapping mapping = mapMemory(memory_);
  for (const std::vector<float> &input : inputs) {
    request_.inputs.push_back(place(input.size() * sizeof(float)));
    std::memcpy(bytesOf(mapping, request_.inputs.back().location).data(), input.data(), input.size() * sizeof(float));
  }
  for (uint64_t bytes : outputBytes)
    request_.outputs.push_back(place(bytes));
}

RequestArgument Buffers::place(uint64_t bytes) {
  RequestArgument argument;
  argument.location = {0, used_, bytes, 0};
  used_ += roundUp(bytes, 64);
  return argument;
}

void Buffers::addFlag(bool value) {
  request_.inputs.push_back(place(1));
  Mapping mapping = mapMemory(memory_);
  bytesOf(mapping, request_.inputs.back().location)[0] = value ? 1 : 0;
}

std::vector<float> Buffers::output(size_t index) const {
  const DataLocation &location = request_.outputs[index].location;
  Mapping mapping = mapMemory(memory_);
  std::vector<float> result(location.length / sizeof(float));
  std::memcpy(result.data(), bytesOf(mapping, location).data(), result.size() * sizeof(float));
  return result;
}

} // namespace avocet::hal::test
