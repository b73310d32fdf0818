//===- OpenModels.cpp - Random models with unknown extents ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenModels.h"

#include "SmallModels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace avocet::hal::testing {
namespace {

enum Code : OperationType {
  kAddition = 0,
  kAveragePool = 1,
  kConcatenation = 2,
  kConv = 3,
  kFullyConnected = 9,
  kLogistic = 14,
  kMaxPool = 17,
  kMultiplication = 18,
  kRelu = 19,
  kSoftmax = 25,
  kTanh = 28,
  kMean = 31,
  kPad = 32,
  kTranspose = 37,
  kAbs = 38,
  kIf = 96,
};

uint64_t productOf(const Extents &extents) {
  return std::accumulate(extents.begin(), extents.end(), uint64_t{1},
                         [](uint64_t product, uint32_t extent) { return product * std::max<uint32_t>(extent, 1); });
}

std::vector<uint8_t> bytesOf(const std::vector<int32_t> &values) {
  const auto *first = reinterpret_cast<const uint8_t *>(values.data());
  return {first, first + values.size() * sizeof(int32_t)};
}

} // namespace

OpenModel::OpenModel(uint32_t seed) : random_(seed) {
  addStart();
  for (uint32_t count = 1 + below(3); count > 0; --count)
    addRandomStep();
  Operand &output = model_.main.operands[value_];
  output.lifetime = OperandLifeTime::SubgraphOutput;
  model_.main.outputIndexes = {value_};
}

uint32_t OpenModel::add(Operand operand) {
  model_.main.operands.push_back(std::move(operand));
  const auto index = static_cast<uint32_t>(model_.main.operands.size() - 1);
  if (model_.main.operands.back().lifetime == OperandLifeTime::SubgraphInput)
    model_.main.inputIndexes.push_back(index);
  return index;
}

uint32_t OpenModel::addInts(const std::vector<int32_t> &values) {
  Operand operand =
      tensor(OperandType::TensorInt32, {static_cast<uint32_t>(values.size())}, OperandLifeTime::ConstantCopy);
  operand.location = {0, model_.operandValues.size(), values.size() * sizeof(int32_t), 0};
  const std::vector<uint8_t> bytes = bytesOf(values);
  model_.operandValues.insert(model_.operandValues.end(), bytes.begin(), bytes.end());
  return add(operand);
}

uint32_t OpenModel::addScalar(int32_t value) { return add(scalarConstant(model_, value)); }
uint32_t OpenModel::addReal(float value) { return add(floatConstant(model_, value)); }

uint32_t OpenModel::addWeights(const Extents &dimensions) {
  Operand operand = tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::ConstantCopy);
  operand.location = {0, model_.operandValues.size(), productOf(dimensions) * sizeof(float), 0};
  for (uint64_t i = 0; i < productOf(dimensions); ++i)
    floatConstant(model_, static_cast<float>(below(100)) / 1000);
  return add(operand);
}

uint32_t OpenModel::addIntsInput(uint32_t count) {
  return add(tensor(OperandType::TensorInt32, {count}, OperandLifeTime::SubgraphInput));
}

/// The result becomes the chain's value; its extents are for the compiler to find.
uint32_t OpenModel::operation(OperationType type, std::vector<uint32_t> inputs) {
  const uint32_t result =
      add(tensor(OperandType::TensorFloat32, Extents(declared_.size(), 0), OperandLifeTime::TemporaryVariable));
  model_.main.operations.push_back({type, std::move(inputs), {result}});
  value_ = result;
  return result;
}

void OpenModel::addStart() {
  const Extents known = {1 + below(3), 4 + below(12), 4 + below(12), 1 + below(8)};
  const size_t rank = maybe() ? 4 : 2;
  declared_.assign(known.end() - static_cast<ptrdiff_t>(rank), known.end());
  for (uint32_t &extent : declared_)
    extent = maybe() ? 0 : extent;
  value_ = add(tensor(OperandType::TensorFloat32, declared_, OperandLifeTime::SubgraphInput));
  description_ = fmt::format("[{}]", fmt::join(declared_, ", "));
  const Extents declared = declared_;
  steps_.push_back([this, declared](Extents &value, std::vector<OpenInput> &inputs) {
    const uint64_t most = productOf(value); // so many elements
    value = declared;
    uint64_t rest = std::max<uint64_t>(1, most / productOf(declared));
    for (uint32_t &extent : value)
      if (extent == 0) {
        // Windows of 3 need three rows.
        const auto limit = static_cast<uint32_t>(std::clamp<uint64_t>(rest, 1, 5000));
        extent = 3 + below(maybe() ? std::max<uint32_t>(1, limit) : 4);
        rest = std::max<uint64_t>(1, rest / extent);
      }
    inputs.push_back({value, std::vector<uint8_t>(productOf(value) * sizeof(float))});
  });
}

void OpenModel::addRandomStep() {
  static constexpr void (OpenModel::*kAny[])() = {
      &OpenModel::addUnary,   &OpenModel::addSum,       &OpenModel::addSoftmax,       &OpenModel::addFullyConnected,
      &OpenModel::addPadding, &OpenModel::addTranspose, &OpenModel::addConcatenation, &OpenModel::addBranch,
  };
  static constexpr void (OpenModel::*kImage[])() = {&OpenModel::addPool, &OpenModel::addConvolution,
                                                    &OpenModel::addMean};
  if (declared_.size() == 4 && below(3) == 0)
    (this->*kImage[below(std::size(kImage))])();
  else
    (this->*kAny[below(std::size(kAny))])();
}

void OpenModel::addUnary() {
  constexpr Code kCodes[] = {kRelu, kLogistic, kTanh, kAbs};
  const Code code = kCodes[below(std::size(kCodes))];
  description_ += fmt::format(" unary{}", static_cast<int>(code));
  operation(code, {value_});
}

/// With itself, a line of the last axis, or an input of the same extents.
void OpenModel::addSum() {
  const Code code = maybe() ? kAddition : kMultiplication;
  const uint32_t activation = addScalar(static_cast<int32_t>(below(4)));
  if (declared_.back() != 0 && maybe()) {
    description_ += " sumOfConstant";
    operation(code, {value_, addWeights({declared_.back()}), activation});
  } else if (maybe()) {
    description_ += " sumOfSelf";
    operation(code, {value_, value_, activation});
  } else {
    description_ += " sumOfInput";
    const uint32_t other =
        add(tensor(OperandType::TensorFloat32, Extents(declared_.size(), 0), OperandLifeTime::SubgraphInput));
    operation(code, {value_, other, activation});
    steps_.push_back([](Extents &value, std::vector<OpenInput> &inputs) {
      inputs.push_back({value, std::vector<uint8_t>(productOf(value) * sizeof(float))});
    });
  }
}

void OpenModel::addSoftmax() {
  description_ += " softmax";
  operation(kSoftmax, {value_, addReal(1.0f)});
}

void OpenModel::addPool() {
  const Code code = maybe() ? kAveragePool : kMaxPool;
  const bool same = maybe();
  const int32_t stride = 1 + static_cast<int32_t>(below(2));
  description_ += fmt::format(" pool{}", same ? "Same" : "Valid");
  operation(code, {value_, addScalar(same ? 1 : 2), addScalar(stride), addScalar(stride), addScalar(2), addScalar(2),
                   addScalar(0)});
  declared_[1] = declared_[2] = 0;
  steps_.push_back([same, stride](Extents &value, std::vector<OpenInput> &) {
    for (size_t axis : {1, 2})
      value[axis] = same ? (value[axis] + static_cast<uint32_t>(stride) - 1) / static_cast<uint32_t>(stride)
                         : (value[axis] - 2) / static_cast<uint32_t>(stride) + 1;
  });
}

void OpenModel::addConvolution() {
  if (declared_[3] == 0)
    return addUnary();
  const uint32_t channels = 1 + below(6);
  description_ += " conv";
  operation(kConv, {value_, addWeights({channels, 3, 3, declared_[3]}), addWeights({channels}), addScalar(1),
                    addScalar(1), addScalar(1), addScalar(1)});
  declared_[3] = channels;
  steps_.push_back([channels](Extents &value, std::vector<OpenInput> &) { value[3] = channels; });
}

/// Rows are as long as the weights have it.
void OpenModel::addFullyConnected() {
  if (declared_.back() == 0 || declared_.size() != 2)
    return addSoftmax();
  const uint32_t units = 1 + below(8);
  description_ += " fullyConnected";
  operation(kFullyConnected, {value_, addWeights({units, declared_.back()}), addWeights({units}), addScalar(0)});
  declared_.back() = units;
  steps_.push_back([units](Extents &value, std::vector<OpenInput> &) { value.back() = units; });
}

void OpenModel::addPadding() {
  const auto rank = static_cast<uint32_t>(declared_.size());
  description_ += " padByInput";
  const uint32_t paddings = add(tensor(OperandType::TensorInt32, {rank, 2}, OperandLifeTime::SubgraphInput));
  operation(kPad, {value_, paddings});
  declared_.assign(rank, 0);
  steps_.push_back([this](Extents &value, std::vector<OpenInput> &inputs) {
    std::vector<int32_t> amounts;
    for (uint32_t &extent : value)
      for (int side = 0; side < 2; ++side) {
        amounts.push_back(static_cast<int32_t>(below(4)));
        extent += static_cast<uint32_t>(amounts.back());
      }
    inputs.push_back({{static_cast<uint32_t>(value.size()), 2}, bytesOf(amounts)});
  });
}

void OpenModel::addTranspose() {
  const auto rank = static_cast<uint32_t>(declared_.size());
  description_ += " transposeByInput";
  operation(kTranspose, {value_, addIntsInput(rank)});
  declared_.assign(rank, 0);
  steps_.push_back([this](Extents &value, std::vector<OpenInput> &inputs) {
    std::vector<int32_t> axes(value.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    const Extents before = value;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      value[axis] = before[static_cast<size_t>(axes[axis])];
    inputs.push_back({{static_cast<uint32_t>(axes.size())}, bytesOf(axes)});
  });
}

void OpenModel::addMean() {
  description_ += " mean";
  operation(kMean, {value_, addInts({1, 2}), addScalar(1)});
  declared_[1] = declared_[2] = 1;
  steps_.push_back([](Extents &value, std::vector<OpenInput> &) { value[1] = value[2] = 1; });
}

void OpenModel::addConcatenation() {
  const uint32_t axis = below(static_cast<uint32_t>(declared_.size()));
  description_ += fmt::format(" concatenation{}", axis);
  operation(kConcatenation, {value_, value_, addScalar(static_cast<int32_t>(axis))});
  declared_[axis] *= 2;
  steps_.push_back([axis](Extents &value, std::vector<OpenInput> &) { value[axis] *= 2; });
}

/// IF: one branch is RELU, the other SOFTMAX or TANH, which may be what a target cannot do.
void OpenModel::addBranch() {
  const bool isSoftmax = maybe();
  description_ += isSoftmax ? " ifSoftmax" : " ifTanh";
  const Extents extents(declared_.size(), 0);
  for (bool first : {true, false}) {
    Subgraph branch;
    branch.operands = {tensor(OperandType::TensorFloat32, extents, OperandLifeTime::SubgraphInput),
                       tensor(OperandType::TensorFloat32, extents, OperandLifeTime::SubgraphOutput)};
    branch.inputIndexes = {0};
    branch.outputIndexes = {1};
    branch.operations = {{first ? kRelu : isSoftmax ? kSoftmax : kTanh, {0}, {1}}};
    if (!first && isSoftmax) {
      branch.operands.push_back(floatConstant(model_, 1.0f));
      branch.operations[0].inputs.push_back(2);
    }
    model_.referenced.push_back(std::move(branch));
  }
  auto reference = [&](size_t subgraph) {
    Operand operand = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
    operand.location.offset = subgraph;
    return add(operand);
  };
  const uint32_t condition = add(tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphInput));
  const uint32_t then = reference(model_.referenced.size() - 2), otherwise = reference(model_.referenced.size() - 1);
  operation(kIf, {condition, then, otherwise, value_});
  steps_.push_back(
      [this](Extents &, std::vector<OpenInput> &inputs) { inputs.push_back({{1}, {static_cast<uint8_t>(below(2))}}); });
}

std::vector<OpenInput> OpenModel::makeInputs(uint32_t elements) {
  std::vector<OpenInput> inputs;
  result_ = {elements}; // for the first step
  for (const Step &step : steps_)
    step(result_, inputs);
  return inputs;
}

} // namespace avocet::hal::testing
