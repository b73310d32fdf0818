//===- OpenModels.cpp - Random models with unknown extents --------* -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenModels.h"

#include "SmallModels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace avocet::hal::testing {
namespace {

uint64_t productOf(const Extents &extents) {
  return std::accumulate(extents.begin(), extents.end(), uint64_t{1},
                         [](uint64_t product, uint32_t extent) { return product * std::max<uint32_t>(extent, 1); });
}

std::vector<uint8_t> bytesOfInts(const std::vector<int32_t> &values) {
  const auto *first = reinterpret_cast<const uint8_t *>(values.data());
  return {first, first + values.size() * sizeof(int32_t)};
}

} // namespace

OpenModel::OpenModel(uint32_t seed) : random_(seed) {
  addStart();
  const bool isOfAnyRank = !isRanked() && maybe();
  for (uint32_t count = below(3); count > 0; --count)
    isOfAnyRank ? addStepOfAnyRank() : addRandomStep();
  if (isOfAnyRank)
    addStepOfAnyRank();
  else if (seed % 3 == 0)
    addLoop();
  else if (seed % 3 == 1)
    addBranch();
  else
    addRandomStep();
  Operand &output = model_.main.operands[value_];
  output.lifetime = OperandLifeTime::SubgraphOutput;
  model_.main.outputIndexes = {value_};
}

uint64_t OpenModel::bytesOf(const Extents &extents) const {
  return productOf(extents) * (isReal() ? sizeof(float) : 1);
}

uint64_t OpenModel::resultBytes() const { return bytesOf(result_); }

uint32_t OpenModel::add(Operand operand) {
  model_.main.operands.push_back(std::move(operand));
  const auto index = static_cast<uint32_t>(model_.main.operands.size() - 1);
  if (model_.main.operands.back().lifetime == OperandLifeTime::SubgraphInput)
    model_.main.inputIndexes.push_back(index);
  return index;
}

uint32_t OpenModel::addConstant(Operand operand, const std::vector<uint8_t> &bytes) {
  operand.lifetime = OperandLifeTime::ConstantCopy;
  operand.location = {0, model_.operandValues.size(), bytes.size(), 0};
  model_.operandValues.insert(model_.operandValues.end(), bytes.begin(), bytes.end());
  model_.operandValues.resize((model_.operandValues.size() + 3) / 4 * 4);
  return add(std::move(operand));
}

uint32_t OpenModel::addInts(const std::vector<int32_t> &values) {
  return addConstant(
      tensor(OperandType::TensorInt32, {static_cast<uint32_t>(values.size())}, OperandLifeTime::ConstantCopy),
      bytesOfInts(values));
}

uint32_t OpenModel::addScalar(int32_t value) { return add(scalarConstant(model_, value)); }
uint32_t OpenModel::addReal(float value) { return add(floatConstant(model_, value)); }

uint32_t OpenModel::addWeights(const Extents &dimensions) {
  std::vector<uint8_t> bytes(bytesOf(dimensions)); // real numbers: zeros
  for (uint8_t &byte : bytes)
    byte = isReal() ? 0 : static_cast<uint8_t>(below(100));
  return addConstant(likeValue(OperandLifeTime::ConstantCopy, dimensions), bytes);
}

/// The bias of a layer whose weights addWeights() made.
uint32_t OpenModel::addBias(uint32_t count) {
  if (isReal())
    return addWeights({count});
  Operand bias = tensor(OperandType::TensorInt32, {count}, OperandLifeTime::ConstantCopy);
  const float scale = model_.main.operands[value_].scale;
  bias.scale = scale * scale;
  return addConstant(bias, std::vector<uint8_t>(count * sizeof(int32_t)));
}

Operand OpenModel::likeValue(OperandLifeTime lifetime) const {
  return likeValue(lifetime, Extents(declared_.size(), 0));
}

Operand OpenModel::likeValue(OperandLifeTime lifetime, Extents dimensions) const {
  Operand operand = tensor(type_, std::move(dimensions), lifetime);
  operand.scale = model_.main.operands[value_].scale;
  operand.zeroPoint = model_.main.operands[value_].zeroPoint;
  return operand;
}

uint32_t OpenModel::addSubgraph(Subgraph subgraph) {
  model_.referenced.push_back(std::move(subgraph));
  Operand reference = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
  reference.location.offset = model_.referenced.size() - 1;
  return add(reference);
}

/// The result becomes the chain's value; the compiler infers its extents.
uint32_t OpenModel::operation(OperationType type, std::vector<uint32_t> inputs, Quantization result) {
  Operand operand = likeValue(OperandLifeTime::TemporaryVariable);
  if (!isReal()) {
    operand.scale = result.scale;
    operand.zeroPoint = result.zeroPoint;
  }
  value_ = add(operand);
  model_.main.operations.push_back({type, std::move(inputs), {value_}});
  return value_;
}

uint32_t OpenModel::operation(OperationType type, std::vector<uint32_t> inputs) {
  const Operand &value = model_.main.operands[value_];
  return operation(type, std::move(inputs), Quantization{value.scale, value.zeroPoint});
}

/// Zero is the smallest representable number.
OpenModel::Quantization OpenModel::fromZero(float scale) const {
  return {scale, type_ == OperandType::TensorQuant8AsymmSigned ? -128 : 0};
}

/// Zero is in the middle of the range.
OpenModel::Quantization OpenModel::fromMinusOne(float scale) const {
  return {scale, type_ == OperandType::TensorQuant8AsymmSigned ? 0 : 128};
}

void OpenModel::addStart() {
  constexpr OperandType kTypes[] = {OperandType::TensorFloat32, OperandType::TensorFloat32,
                                    OperandType::TensorQuant8Asymm, OperandType::TensorQuant8AsymmSigned};
  constexpr const char *kNames[] = {"float32", "float32", "unsigned", "signed"};
  const uint32_t kind = below(4);
  type_ = kTypes[kind];
  features_.insert(kNames[kind]);
  if (below(4) != 0) { // else the rank is unknown
    const Extents known = {1 + below(3), 4 + below(12), 4 + below(12), 1 + below(8)};
    declared_.assign(known.end() - (maybe() ? 4 : 2), known.end());
    for (uint32_t &extent : declared_)
      extent = maybe() ? 0 : extent;
  } else {
    features_.insert("unranked");
  }
  Operand input = tensor(type_, declared_, OperandLifeTime::SubgraphInput);
  if (!isReal()) {
    input.scale = 0.5f;
    input.zeroPoint = type_ == OperandType::TensorQuant8Asymm ? 3 : -3;
  }
  value_ = add(input);
  description_ = fmt::format("{} [{}]", kNames[kind], fmt::join(declared_, ", "));
  steps_.push_back([this, declared = declared_](Extents &value, std::vector<OpenInput> &inputs) {
    value = startExtents(declared, productOf(value)); // value[0] is the number of elements
    inputs.push_back({value, std::vector<uint8_t>(bytesOf(value))});
  });
}

/// A small, a random or the largest extent; the largest may exceed the on-chip memory.
uint32_t OpenModel::openExtent(uint32_t least, uint32_t most) {
  if (most <= least || below(4) == 0)
    return least + below(4);
  return maybe() ? least + below(most - least) : most;
}

Extents OpenModel::startExtents(const Extents &declared, uint64_t elements) {
  Extents value = declared;
  if (declared.empty())
    value.assign(1 + below(kHighestRank), 0);
  uint64_t rest = std::max<uint64_t>(1, elements / productOf(declared));
  std::vector<size_t> axes(value.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (maybe())
    std::reverse(axes.begin(), axes.end()); // the last axis gets the largest extent
  else
    std::shuffle(axes.begin(), axes.end(), random_);
  const uint32_t least = declared.empty() ? 1 : 3; // windows of 3 need three rows
  for (size_t axis : axes)
    if (uint32_t &extent = value[axis]; extent == 0) {
      extent = openExtent(least, static_cast<uint32_t>(rest));
      rest = std::max<uint64_t>(1, rest / extent);
    }
  return value;
}

std::vector<OpenInput> OpenModel::makeInputs(uint32_t elements) {
  std::vector<OpenInput> inputs;
  result_ = {elements}; // for the first step
  mostElements_ = 0;
  for (const Step &step : steps_) {
    step(result_, inputs);
    mostElements_ = std::max(mostElements_, productOf(result_));
  }
  return inputs;
}

} // namespace avocet::hal::testing
