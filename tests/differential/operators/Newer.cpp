//===- Newer.cpp - Operators that the library does not have yet -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their generators compute what is expected by the formula of TensorFlow Lite's reference kernels.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

Range rangeOf(Kind kind) { return kind == Kind::U8 ? Range{0, 255} : Range{-128, 127}; }

std::vector<double> numbers(Draft &draft, const Shape &shape, double low, double high) {
  std::vector<double> drawn(static_cast<size_t>(numElements(shape)));
  for (double &value : drawn)
    value = draft.isFloat() ? static_cast<double>(static_cast<float>(draft.real(low, high)))
                            : draft.pick(static_cast<int32_t>(low), static_cast<int32_t>(high));
  return drawn;
}

/// A function of one number, on plain elements.
template <BuiltinOperator code, typename Function> void drawOfOne(Draft &draft, Function function) {
  const Shape shape = draft.shape(1, 4);
  const Element element = Draft::plain(typeOf(draft.kind()));
  std::vector<double> values = numbers(draft, shape, -5, 5);
  const int32_t input = draft.model().addInput(shape, element, encode(values, element.type));
  std::ranges::transform(values, values.begin(), function);
  draft.op(code, {input}, {draft.output(shape, element)});
  draft.model().expect({encode(values, element.type)});
}

/// A function of two numbers. The second operand is one number for each element, or one for all.
template <BuiltinOperator code, typename Function>
void drawOfTwo(Draft &draft, Range first, Range second, Function function) {
  const Shape shape = draft.shape(1, 4), other = draft.oneIn(3) ? Shape{1} : shape;
  const Element element = Draft::plain(typeOf(draft.kind()));
  std::vector<double> lhs = numbers(draft, shape, first.low, first.high);
  const std::vector<double> rhs = numbers(draft, other, second.low, second.high);
  const std::vector<int32_t> operands = {draft.model().addInput(shape, element, encode(lhs, element.type)),
                                         draft.model().addInput(other, element, encode(rhs, element.type))};
  for (size_t i = 0; i < lhs.size(); ++i)
    lhs[i] = function(lhs[i], rhs[i % rhs.size()]);
  draft.op(code, operands, {draft.output(shape, element)});
  draft.model().expect({encode(lhs, element.type)});
}

void drawSign(Draft &draft) {
  drawOfOne<BuiltinOperator::SIGN>(draft, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
}

/// 8-bit results have the quantization of the input, so stored numbers are clamped.
void drawReluOfUnit(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  const double zero = static_cast<double>(element.zeroPoint());
  const double one = std::min(zero + std::round(1 / element.scale()), rangeOf(draft.kind()).high);
  std::vector<double> values = numbers(draft, shape, draft.isFloat() ? -3 : rangeOf(draft.kind()).low,
                                       draft.isFloat() ? 3 : rangeOf(draft.kind()).high);
  const int32_t input = draft.model().addInput(shape, element, encode(values, element.type));
  for (double &value : values)
    value = std::clamp(value, zero, draft.isFloat() ? 1.0 : one);
  draft.op(BuiltinOperator::RELU_0_TO_1, {input}, {draft.output(shape, element)});
  draft.model().expect({encode(values, element.type)});
}

void drawAtan2(Draft &draft) {
  drawOfTwo<BuiltinOperator::ATAN2>(draft, {-4, 4}, {-4, 4}, [](double y, double x) { return std::atan2(y, x); });
}

void drawXor(Draft &draft) {
  const Range range = rangeOf(draft.kind());
  drawOfTwo<BuiltinOperator::BITWISE_XOR>(draft, range, range, [](double lhs, double rhs) {
    return static_cast<double>(static_cast<int32_t>(lhs) ^ static_cast<int32_t>(rhs));
  });
}

void drawShift(Draft &draft) {
  drawOfTwo<BuiltinOperator::RIGHT_SHIFT>(draft, rangeOf(draft.kind()), {0, 7}, [](double lhs, double rhs) {
    return static_cast<double>(static_cast<int32_t>(lhs) >> static_cast<int32_t>(rhs));
  });
}

/// The bytes of the tensor with `filler` between elements that are `steps` apart.
Bytes dilated(const Bytes &values, const Shape &shape, const Bytes &filler, const std::vector<int64_t> &steps,
              const Shape &result) {
  const size_t size = filler.size();
  Bytes all;
  for (int64_t index = 0; index < numElements(result); ++index) {
    int64_t rest = index, from = 0, stride = 1;
    bool isBetween = false;
    for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      const int64_t position = rest % result[axis];
      rest /= result[axis];
      isBetween |= position % steps[axis] != 0;
      from += position / steps[axis] * stride;
    }
    const uint8_t *element = isBetween ? filler.data() : &values[static_cast<size_t>(from) * size];
    all.insert(all.end(), element, element + size);
  }
  return all;
}

void drawDilate(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 5);
  const Element element = draft.element();
  Shape result;
  std::vector<int64_t> steps;
  for (int32_t extent : shape) {
    steps.push_back(draft.pick(1, 3));
    result.push_back((extent - 1) * static_cast<int32_t>(steps.back()) + 1);
  }
  const Bytes values = draft.values(shape, element, {}), filler = draft.values({}, element, {});
  const int32_t input = draft.model().addInput(shape, element, values), dilations = draft.integers(steps);
  draft.op(BuiltinOperator::DILATE, {input, dilations, draft.model().addConstant({}, element, filler)},
           {draft.output(result, element)});
  draft.model().expect({dilated(values, shape, filler, steps, result)});
}

/// The bytes are numbers of the result: those of other types may be no truth values.
void drawBitcast(Draft &draft) {
  static const std::vector<TensorType> kTypes = {TensorType::INT8,  TensorType::UINT8, TensorType::INT16,
                                                 TensorType::INT32, TensorType::INT64, TensorType::FLOAT32};
  const Element input = Draft::plain(typeOf(draft.kind())), result = Draft::plain(draft.any(kTypes));
  const size_t from = elementBytes(input.type), to = elementBytes(result.type);
  Shape shape = draft.shape(0, 4), resultShape = shape;
  if (from > to)
    resultShape.push_back(static_cast<int32_t>(from / to));
  if (to > from)
    shape.push_back(static_cast<int32_t>(to / from));
  const Bytes bytes =
      draft.kind() == Kind::Bool ? draft.values(shape, input, {}) : draft.values(resultShape, result, {});
  draft.op(BuiltinOperator::BITCAST, {draft.model().addInput(shape, input, bytes)},
           {draft.output(resultShape, result)});
  draft.model().expect({bytes});
}

const std::vector<Kind> kAllPlainKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};
const std::vector<Kind> kBitKinds = {Kind::I8, Kind::U8, Kind::I16, Kind::I32};

constexpr bool kMissing = false; ///< from the library

const Row kRows[] = {
    {BuiltinOperator::SIGN, {Kind::F32, Kind::I32}, drawSign, 0, {}, kMissing},
    {BuiltinOperator::RELU_0_TO_1, kByteKinds, drawReluOfUnit, 0, {}, kMissing},
    {BuiltinOperator::ATAN2, {Kind::F32}, drawAtan2, kTolerance, {}, kMissing},
    {BuiltinOperator::BITCAST, kAllPlainKinds, drawBitcast, 0, {}, kMissing},
    {BuiltinOperator::BITWISE_XOR, kBitKinds, drawXor, 0, {}, kMissing},
    {BuiltinOperator::DILATE, kAllPlainKinds, drawDilate, 0, {}, kMissing},
    {BuiltinOperator::RIGHT_SHIFT, kBitKinds, drawShift, 0, {}, kMissing},
};

} // namespace

std::span<const Row> newerRows() { return kRows; }

} // namespace avocet::differential
