//===- BenchModels.cpp - NNAPI models of realistic sizes --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchModels.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <random>

namespace avocet::hal::bench {
namespace {

constexpr int32_t kSame = 1, kNone = 0, kRelu6 = 3;
constexpr float kScale = 0.05f, kWeightScale = 0.01f;

/// Appends layers to one chain of signed 8-bit tensors.
class ChainBuilder {
public:
  explicit ChainBuilder(std::vector<uint32_t> inputDimensions) {
    current_ = add(value(inputDimensions, OperandLifeTime::SubgraphInput));
    model_.main.inputIndexes = {current_};
  }

  void conv(uint32_t channels, uint32_t kernel, int32_t stride) {
    uint32_t filter = weights({channels, kernel, kernel, shape()[3]});
    uint32_t offsets = bias(channels);
    append(OperationType::Conv2d,
           {current_, filter, offsets, scalar(kSame), scalar(stride), scalar(stride), scalar(kRelu6)},
           {1, strided(shape()[1], stride), strided(shape()[2], stride), channels});
  }

  void depthwise(uint32_t kernel, int32_t stride) {
    uint32_t channels = shape()[3];
    uint32_t filter = weights({1, kernel, kernel, channels});
    uint32_t offsets = bias(channels);
    append(OperationType::DepthwiseConv2d,
           {current_, filter, offsets, scalar(kSame), scalar(stride), scalar(stride), scalar(1), scalar(kRelu6)},
           {1, strided(shape()[1], stride), strided(shape()[2], stride), channels});
  }

  void averagePool() {
    auto height = static_cast<int32_t>(shape()[1]), width = static_cast<int32_t>(shape()[2]);
    append(OperationType::AveragePool2d,
           {current_, scalar(2), scalar(1), scalar(1), scalar(width), scalar(height), scalar(kNone)},
           {1, 1, 1, shape()[3]});
  }

  void fullyConnected(uint32_t channels) {
    uint32_t filter = weights({channels, shape().back()});
    uint32_t offsets = bias(channels);
    append(OperationType::FullyConnected, {current_, filter, offsets, scalar(kNone)}, {1, channels});
  }

  Model finish() {
    model_.main.operands[current_].lifetime = OperandLifeTime::SubgraphOutput;
    model_.main.outputIndexes = {current_};
    model_.pools = {makePool()};
    return std::move(model_);
  }

private:
  static uint32_t strided(uint32_t extent, int32_t stride) { return divideUp(extent, static_cast<uint32_t>(stride)); }
  const std::vector<uint32_t> &shape() const { return model_.main.operands[current_].dimensions; }

  uint32_t add(Operand operand) {
    model_.main.operands.push_back(std::move(operand));
    return static_cast<uint32_t>(model_.main.operands.size() - 1);
  }

  static Operand value(std::vector<uint32_t> dimensions, OperandLifeTime lifetime) {
    Operand operand;
    operand.type = OperandType::TensorQuant8AsymmSigned;
    operand.dimensions = std::move(dimensions);
    operand.scale = kScale;
    operand.lifetime = lifetime;
    return operand;
  }

  uint32_t weights(std::vector<uint32_t> dimensions) {
    Operand operand = value(std::move(dimensions), OperandLifeTime::ConstantReference);
    operand.scale = kWeightScale;
    uint64_t count = 1;
    for (uint32_t extent : operand.dimensions)
      count *= extent;
    operand.location = {0, pool_.size(), count, 0};
    std::generate_n(std::back_inserter(pool_), count, [this] { return static_cast<uint8_t>(random_()); });
    pool_.resize((pool_.size() + 63) / 64 * 64);
    return add(std::move(operand));
  }

  uint32_t bias(uint32_t channels) {
    Operand operand;
    operand.type = OperandType::TensorInt32;
    operand.dimensions = {channels};
    operand.scale = kScale * kWeightScale;
    operand.lifetime = OperandLifeTime::ConstantReference;
    operand.location = {0, pool_.size(), channels * sizeof(int32_t), 0};
    pool_.resize((pool_.size() + channels * sizeof(int32_t) + 63) / 64 * 64);
    return add(std::move(operand));
  }

  uint32_t scalar(int32_t number) {
    Operand operand;
    operand.type = OperandType::Int32;
    operand.lifetime = OperandLifeTime::ConstantCopy;
    operand.location = {0, model_.operandValues.size(), sizeof(number), 0};
    const auto *bytes = reinterpret_cast<const uint8_t *>(&number);
    model_.operandValues.insert(model_.operandValues.end(), bytes, bytes + sizeof(number));
    return add(std::move(operand));
  }

  void append(OperationType type, std::vector<uint32_t> inputs, std::vector<uint32_t> dimensions) {
    uint32_t output = add(value(std::move(dimensions), OperandLifeTime::TemporaryVariable));
    model_.main.operations.push_back({type, std::move(inputs), {output}});
    current_ = output;
  }

  SharedMemory makePool() const {
    FileDescriptor file = std::move(createMemoryFile("weights", pool_.size())).value();
    Mapping mapping = std::move(Mapping::map(file.get(), pool_.size(), Mapping::Access::ReadWrite)).value();
    std::copy(pool_.begin(), pool_.end(), mapping.bytes().begin());
    return std::make_shared<Memory>(
        Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file)), pool_.size()}});
  }

  Model model_;
  uint32_t current_ = 0;
  std::vector<uint8_t> pool_;
  std::mt19937 random_{1};
};

} // namespace

Model mobileNet() {
  ChainBuilder builder({1, 224, 224, 3});
  builder.conv(32, 3, 2);
  struct Block {
    uint32_t channels;
    int32_t stride;
  };
  constexpr Block kBlocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                               {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const Block &block : kBlocks) {
    builder.depthwise(3, block.stride);
    builder.conv(block.channels, 1, 1);
  }
  builder.averagePool();
  builder.conv(1001, 1, 1);
  return builder.finish();
}

Model fullyConnectedChain(uint32_t layers, uint32_t extent) {
  ChainBuilder builder({1, extent});
  for (uint32_t i = 0; i < layers; ++i)
    builder.fullyConnected(extent);
  return builder.finish();
}

Model smallSum() {
  Model model;
  Operand input;
  input.type = OperandType::TensorFloat32;
  input.dimensions = {2};
  input.lifetime = OperandLifeTime::SubgraphInput;
  Operand output = input, activation;
  output.lifetime = OperandLifeTime::SubgraphOutput;
  activation.type = OperandType::Int32;
  activation.lifetime = OperandLifeTime::ConstantCopy;
  activation.location = {0, 0, sizeof(int32_t), 0};
  model.operandValues.resize(sizeof(int32_t));
  model.main.operands = {input, input, activation, output};
  model.main.operations = {{OperationType::Add, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {3};
  return model;
}

} // namespace avocet::hal::bench
