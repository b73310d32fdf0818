//===- VerifyOperands.cpp - The rules of inputs and outputs -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/DataType.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::cache {

namespace {

using firmware::DataType;

struct StoredRange {
  int64_t min;
  int64_t max;
};

template <typename T> constexpr StoredRange rangeOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

/// Values that a zero point of the type may have; min > max for types that cannot be quantized.
StoredRange zeroPointRange(DataType type) {
  switch (type) {
  case DataType::Int8:
    return rangeOf<int8_t>();
  case DataType::UInt8:
    return rangeOf<uint8_t>();
  case DataType::Int16:
    return rangeOf<int16_t>();
  case DataType::UInt16:
    return rangeOf<uint16_t>();
  case DataType::Int32:
    return rangeOf<int32_t>();
  default:
    return {0, -1};
  }
}

/// The number of entries of both lists must be one, or one per index of the axis.
Status verifyAxis(std::string_view place, const fb::Operand &operand, const fb::Quantization &quantization) {
  uint32_t count = quantization.scales()->size();
  if (count != quantization.zero_points()->size())
    return dataLoss(fmt::format("{}.quantization has {} scales and {} zero points, must have as many of both", place,
                                count, quantization.zero_points()->size()));
  if (count == 1)
    return Status::ok();
  int32_t axis = quantization.axis();
  if (axis < 0 || static_cast<uint32_t>(axis) >= operand.shape()->size())
    return dataLoss(fmt::format("{}.quantization.axis is {}, must be below {}, the rank of the shape", place, axis,
                                operand.shape()->size()));
  auto extent = static_cast<uint32_t>(operand.shape()->Get(static_cast<uint32_t>(axis)));
  if (count != extent)
    return dataLoss(
        fmt::format("{}.quantization has {} scales, must have 1 or as many as dimension {} has elements, {}", place,
                    count, axis, extent));
  return Status::ok();
}

Status verifyQuantization(std::string_view place, const fb::Operand &operand) {
  const fb::Quantization *quantization = operand.quantization();
  if (!quantization)
    return Status::ok();
  auto type = static_cast<DataType>(operand.type());
  StoredRange range = zeroPointRange(type);
  if (range.min > range.max)
    return dataLoss(fmt::format("{}.quantization: values of type {} are not quantized", place, toString(type)));
  AVOCET_RETURN_IF_ERROR(verifyAxis(place, operand, *quantization));
  for (float scale : *quantization->scales())
    if (!std::isfinite(scale) || scale <= 0.0f)
      return dataLoss(fmt::format("{}.quantization has scale {}, must be finite and above 0", place, scale));
  for (int32_t zeroPoint : *quantization->zero_points())
    if (zeroPoint < range.min || zeroPoint > range.max)
      return dataLoss(
          fmt::format("{}.quantization has zero point {}, must be {} to {}", place, zeroPoint, range.min, range.max));
  return Status::ok();
}

Status verifyBytes(std::string_view place, const fb::Operand &operand) {
  uint64_t bytes = sizeOf(static_cast<DataType>(operand.type()));
  for (int32_t extent : *operand.shape()) {
    if (extent < 1)
      return dataLoss(fmt::format("{}.shape has dimension {}, must be 1 or more", place, extent));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      return dataLoss(fmt::format("{}.shape has more than 2^64 bytes", place));
  }
  if (bytes != operand.bytes())
    return dataLoss(fmt::format("{}.bytes is {}, must be {} for its type and shape", place, operand.bytes(), bytes));
  return Status::ok();
}

Status verifyOperand(std::string_view place, const fb::Operand &operand) {
  AVOCET_RETURN_IF_ERROR(verifyText(place, operand.name()));
  if (operand.type() >= firmware::kNumDataTypes)
    return dataLoss(fmt::format("{}.type is {}, must be below {}", place, operand.type(), firmware::kNumDataTypes));
  if (operand.shape()->size() > kMaxRank)
    return dataLoss(
        fmt::format("{}.shape has {} dimensions, at most {} are allowed", place, operand.shape()->size(), kMaxRank));
  AVOCET_RETURN_IF_ERROR(verifyBytes(place, operand));
  return verifyQuantization(place, operand);
}

template <typename T> bool areEqual(const flatbuffers::Vector<T> *left, const flatbuffers::Vector<T> *right) {
  return std::equal(left->begin(), left->end(), right->begin(), right->end());
}

bool areEqual(const fb::Quantization *left, const fb::Quantization *right) {
  if (!left || !right)
    return left == right;
  return areEqual(left->scales(), right->scales()) && areEqual(left->zero_points(), right->zero_points()) &&
         left->axis() == right->axis();
}

/// An input that is a state, against the output that replaces it.
Status verifyState(std::string_view place, const fb::Operand &input, const fb::Operand &output) {
  if (input.initial() && input.initial()->size() != input.bytes())
    return dataLoss(
        fmt::format("{}.initial has {} bytes, must have {}", place, input.initial()->size(), input.bytes()));
  const bool isSame = input.name()->string_view() == output.name()->string_view() && input.type() == output.type() &&
                      areEqual(input.shape(), output.shape()) && areEqual(input.quantization(), output.quantization());
  if (!isSame)
    return dataLoss(fmt::format("{} is a state, but its output '{}' has another name, type, shape or quantization",
                                place, output.name()->string_view()));
  return Status::ok();
}

Status verifyStateless(std::string_view place, const fb::Operand &operand) {
  if (operand.is_state() || operand.initial())
    return dataLoss(fmt::format("{} must not be a state: states are the last inputs", place));
  return Status::ok();
}

/// States are the last inputs, each with an output.
Status verifyStates(const fb::Model &model) {
  const auto &inputs = *model.inputs(), &outputs = *model.outputs();
  uint32_t states = 0;
  while (states < inputs.size() && inputs.Get(inputs.size() - 1 - states)->is_state())
    ++states;
  if (states > outputs.size())
    return dataLoss(
        fmt::format("inputs has {} states, must have at most {}, the number of outputs", states, outputs.size()));
  for (uint32_t i = 0; i < inputs.size() - states; ++i)
    AVOCET_RETURN_IF_ERROR(verifyStateless(fmt::format("inputs[{}]", i), *inputs.Get(i)));
  for (uint32_t i = inputs.size() - states; i < inputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(
        verifyState(fmt::format("inputs[{}]", i), *inputs.Get(i), *outputs.Get(outputs.size() - (inputs.size() - i))));
  return verifyEach("outputs", outputs, verifyStateless);
}

} // namespace

Status verifyOperands(const fb::Model &model) {
  AVOCET_RETURN_IF_ERROR(verifyEach("inputs", *model.inputs(), verifyOperand));
  AVOCET_RETURN_IF_ERROR(verifyEach("outputs", *model.outputs(), verifyOperand));
  return verifyStates(model);
}

} // namespace avocet::cache
