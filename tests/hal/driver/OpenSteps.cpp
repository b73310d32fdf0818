//===- OpenSteps.cpp - The operations of the random models ---------* -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenModels.h"
#include "SmallModels.h"

#include <fmt/format.h>

#include <numeric>

namespace avocet::hal::testing {
namespace {

std::vector<uint8_t> bytesOfInts(const std::vector<int32_t> &values) {
  const auto *first = reinterpret_cast<const uint8_t *>(values.data());
  return {first, first + values.size() * sizeof(int32_t)};
}

} // namespace

void OpenModel::addRandomStep() {
  static constexpr void (OpenModel::*kAny[])() = {
      &OpenModel::addUnary,   &OpenModel::addSum,       &OpenModel::addSoftmax,       &OpenModel::addFullyConnected,
      &OpenModel::addPadding, &OpenModel::addTranspose, &OpenModel::addConcatenation, &OpenModel::addBranch,
      &OpenModel::addLoop,    &OpenModel::addExtremum,
  };
  static constexpr void (OpenModel::*kImage[])() = {&OpenModel::addPool, &OpenModel::addConvolution,
                                                    &OpenModel::addMean};
  if (declared_.size() == 4 && below(3) == 0)
    (this->*kImage[below(std::size(kImage))])();
  else
    (this->*kAny[below(std::size(kAny))])();
}

void OpenModel::addStepOfAnyRank() { isReal() && maybe() ? addAbs() : addExtremum(); }

void OpenModel::addAbs() {
  description_ += " abs";
  operation(OperationType::Abs, {value_});
}

void OpenModel::addUnary() {
  switch (below(4)) {
  case 0:
    description_ += " relu";
    operation(OperationType::Relu, {value_});
    break;
  case 1:
    description_ += " logistic";
    operation(OperationType::Logistic, {value_}, fromZero(1.0f / 256));
    break;
  case 2:
    description_ += " tanh";
    operation(OperationType::Tanh, {value_}, fromMinusOne(1.0f / 128));
    break;
  default:
    if (isReal())
      return addAbs();
    description_ += " relu6";
    operation(OperationType::Relu6, {value_});
  }
}

/// Sum or product of the value with itself, a constant line of the last axis, or another input.
void OpenModel::addSum() {
  const OperationType code = maybe() ? OperationType::Add : OperationType::Mul;
  const uint32_t activation = addScalar(static_cast<int32_t>(below(4)));
  if (isRanked() && declared_.back() != 0 && maybe()) {
    description_ += " sumOfConstant";
    operation(code, {value_, addWeights({declared_.back()}), activation}, fromZero(0.5f));
  } else if (maybe()) {
    description_ += " sumOfSelf";
    operation(code, {value_, value_, activation}, fromZero(0.5f));
  } else {
    description_ += " sumOfInput";
    addOtherInput(code, {activation});
  }
}

void OpenModel::addExtremum() {
  description_ += " extremum";
  addOtherInput(maybe() ? OperationType::Maximum : OperationType::Minimum, {});
}

/// The extents of the two inputs are equal, or one of them is 1. If the rank is unknown, the other's may be lower.
void OpenModel::addOtherInput(OperationType code, std::vector<uint32_t> more) {
  const uint32_t other = add(likeValue(OperandLifeTime::SubgraphInput));
  std::vector<uint32_t> inputs{value_, other};
  inputs.insert(inputs.end(), more.begin(), more.end());
  operation(code, std::move(inputs), fromZero(0.5f));
  std::replace(declared_.begin(), declared_.end(), 1u, 0u);
  steps_.push_back([this, isRanked = isRanked()](Extents &value, std::vector<OpenInput> &inputs) {
    Extents extents = value;
    if (!isRanked)
      extents.erase(extents.begin(), extents.begin() + below(static_cast<uint32_t>(extents.size())));
    const size_t more = value.size() - extents.size();
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (uint32_t &extent = value[more + axis]; extent == 1)
        extent = extents[axis] = 1 + below(4);
      else if (below(3) == 0)
        extents[axis] = 1;
    inputs.push_back({extents, std::vector<uint8_t>(bytesOf(extents))});
  });
}

void OpenModel::addSoftmax() {
  description_ += " softmax";
  operation(OperationType::Softmax, {value_, addReal(1.0f)}, fromZero(1.0f / 256));
}

void OpenModel::addPool() {
  const OperationType code = maybe() ? OperationType::AveragePool2d : OperationType::MaxPool2d;
  const bool same = mayBeThin_ || maybe();
  mayBeThin_ = true;
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
  operation(OperationType::Conv2d,
            {value_, addWeights({channels, 3, 3, declared_[3]}), addBias(channels), addScalar(1), addScalar(1),
             addScalar(1), addScalar(1)},
            fromZero(0.5f));
  declared_[3] = channels;
  steps_.push_back([channels](Extents &value, std::vector<OpenInput> &) { value[3] = channels; });
}

/// The row length must be that of the weights.
void OpenModel::addFullyConnected() {
  if (declared_.size() != 2 || declared_.back() == 0)
    return addSoftmax();
  const uint32_t units = 1 + below(8);
  description_ += " fullyConnected";
  operation(OperationType::FullyConnected,
            {value_, addWeights({units, declared_.back()}), addBias(units), addScalar(0)}, fromZero(0.5f));
  declared_.back() = units;
  steps_.push_back([units](Extents &value, std::vector<OpenInput> &) { value.back() = units; });
}

void OpenModel::addPadding() {
  description_ += " padByInput";
  const auto rank = static_cast<uint32_t>(declared_.size()); // 0: unknown
  const uint32_t paddings = add(tensor(OperandType::TensorInt32, {rank, 2}, OperandLifeTime::SubgraphInput));
  operation(OperationType::Pad, {value_, paddings});
  declared_.assign(rank, 0);
  steps_.push_back([this](Extents &value, std::vector<OpenInput> &inputs) {
    std::vector<int32_t> amounts;
    for (uint32_t &extent : value)
      for (int side = 0; side < 2; ++side) {
        amounts.push_back(static_cast<int32_t>(below(4)));
        extent += static_cast<uint32_t>(amounts.back());
      }
    inputs.push_back({{static_cast<uint32_t>(value.size()), 2}, bytesOfInts(amounts)});
  });
}

void OpenModel::addTranspose() {
  description_ += " transposeByInput";
  const auto rank = static_cast<uint32_t>(declared_.size()); // 0: unknown
  const uint32_t axes = add(tensor(OperandType::TensorInt32, {rank}, OperandLifeTime::SubgraphInput));
  operation(OperationType::Transpose, {value_, axes});
  declared_.assign(rank, 0);
  mayBeThin_ = true;
  steps_.push_back([this](Extents &value, std::vector<OpenInput> &inputs) {
    std::vector<int32_t> axes(value.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    const Extents before = value;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      value[axis] = before[static_cast<size_t>(axes[axis])];
    inputs.push_back({{static_cast<uint32_t>(axes.size())}, bytesOfInts(axes)});
  });
}

void OpenModel::addMean() {
  description_ += " mean";
  operation(OperationType::Mean, {value_, addInts({1, 2}), addScalar(1)});
  declared_[1] = declared_[2] = 1;
  mayBeThin_ = true;
  steps_.push_back([](Extents &value, std::vector<OpenInput> &) { value[1] = value[2] = 1; });
}

void OpenModel::addConcatenation() {
  const uint32_t axis = isRanked() ? below(static_cast<uint32_t>(declared_.size())) : 0;
  description_ += fmt::format(" concatenation{}", axis);
  operation(OperationType::Concatenation, {value_, value_, addScalar(static_cast<int32_t>(axis))});
  if (isRanked())
    declared_[axis] *= 2;
  steps_.push_back([axis](Extents &value, std::vector<OpenInput> &) { value[axis] *= 2; });
}

} // namespace avocet::hal::testing
