//===- Draft.cpp - Random choices for one test case ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace avocet::differential {
namespace {

struct KindRow {
  const char *name;
  TensorType type;
};
constexpr std::array<KindRow, kNumKinds> kKinds = {{{"f32", TensorType::FLOAT32},
                                                    {"f16", TensorType::FLOAT16},
                                                    {"i8", TensorType::INT8},
                                                    {"u8", TensorType::UINT8},
                                                    {"i16", TensorType::INT16},
                                                    {"i32", TensorType::INT32},
                                                    {"i64", TensorType::INT64},
                                                    {"bool", TensorType::BOOL},
                                                    {"hybrid", TensorType::FLOAT32}}};

template <typename T> void put(Bytes &bytes, T value) {
  const auto *first = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

/// Narrower integers take every value of their type.
bool fillsItsRange(TensorType type) {
  return type == TensorType::INT8 || type == TensorType::UINT8 || type == TensorType::INT16;
}

Range fullRange(TensorType type) {
  if (type == TensorType::UINT8)
    return {0, 255};
  return type == TensorType::INT8 ? Range{-128, 127} : Range{-32768, 32767};
}

} // namespace

const char *kindName(Kind kind) { return kKinds[static_cast<size_t>(kind)].name; }
TensorType typeOf(Kind kind) { return kKinds[static_cast<size_t>(kind)].type; }

Bytes encode(const std::vector<double> &values, TensorType type) {
  Bytes bytes;
  for (double value : values)
    switch (type) {
    case TensorType::FLOAT32:
      put(bytes, static_cast<float>(value));
      break;
    case TensorType::FLOAT16:
      put(bytes, static_cast<_Float16>(value));
      break;
    case TensorType::INT64:
      put(bytes, static_cast<int64_t>(value));
      break;
    case TensorType::INT32:
      put(bytes, static_cast<int32_t>(value));
      break;
    case TensorType::INT16:
      put(bytes, static_cast<int16_t>(value));
      break;
    case TensorType::BOOL:
      put<uint8_t>(bytes, value != 0);
      break;
    default:
      put(bytes, static_cast<uint8_t>(static_cast<int32_t>(value)));
    }
  return bytes;
}

std::vector<double> decode(const Bytes &bytes, TensorType type) {
  const auto widened = [](const auto &numbers) { return std::vector<double>(numbers.begin(), numbers.end()); };
  switch (type) {
  case TensorType::FLOAT32:
    return widened(numbersOf<float>(bytes));
  case TensorType::INT32:
    return widened(numbersOf<int32_t>(bytes));
  case TensorType::INT16:
    return widened(numbersOf<int16_t>(bytes));
  case TensorType::UINT8:
    return widened(numbersOf<uint8_t>(bytes));
  default:
    return widened(numbersOf<int8_t>(bytes));
  }
}

int32_t Draft::pick(int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random_.below(static_cast<uint64_t>(int64_t{high} - low + 1)));
}

double Draft::real(double low, double high) {
  return low + (high - low) * (static_cast<double>(random_.next() >> 11) / 9007199254740992.0);
}

Shape Draft::shape(int32_t minRank, int32_t maxRank, int32_t maxExtent) {
  Shape shape(static_cast<size_t>(pick(minRank, maxRank)));
  for (int32_t &extent : shape)
    extent = oneIn(4) ? 1 : pick(1, maxExtent);
  return shape;
}

int32_t Draft::axis(int32_t rank) { return pick(-rank, rank - 1); }

Draft::Broadcast Draft::broadcast(int32_t maxRank) {
  Broadcast shapes;
  shapes.first = shapes.second = shapes.result = shape(1, maxRank);
  if (oneIn(3))
    return shapes;
  for (size_t i = 0; i < shapes.result.size(); ++i)
    if (oneIn(3))
      (oneIn(2) ? shapes.first : shapes.second)[i] = 1;
  Shape &shorter = oneIn(2) ? shapes.first : shapes.second;
  shorter.erase(shorter.begin(), shorter.begin() + pick(0, static_cast<int32_t>(shorter.size()) - 1));
  for (size_t i = 1; i <= shapes.result.size(); ++i) {
    const auto extent = [&](const Shape &from) { return i <= from.size() ? from[from.size() - i] : 1; };
    shapes.result[shapes.result.size() - i] = std::max(extent(shapes.first), extent(shapes.second));
  }
  return shapes;
}

int64_t Draft::zeroPoint() {
  const Range range = fullRange(typeOf(kind_));
  const auto low = static_cast<int32_t>(range.low), high = static_cast<int32_t>(range.high);
  switch (pick(0, 3)) {
  case 0:
    return low;
  case 1:
    return high;
  default:
    return pick(low, high);
  }
}

Element Draft::elementWith(float scale) {
  Element element{.type = typeOf(kind_)};
  if (!isQuantized())
    return element;
  element.scales = {scale};
  // Quantized 16-bit numbers are symmetric by definition.
  element.zeroPoints = {kind_ == Kind::I16 ? 0 : zeroPoint()};
  return element;
}

Element Draft::element() {
  const double exponent = real(-8, -2);
  // Powers of two select older kernels for 16 bits.
  const double scale = oneIn(4) && kind_ != Kind::I16 ? std::exp2(std::floor(exponent)) : std::exp2(exponent);
  return elementWith(static_cast<float>(kind_ == Kind::I16 ? scale / 256 : scale));
}

Element Draft::symmetricUnit() const {
  Element element{.type = typeOf(kind_)};
  if (!isQuantized())
    return element;
  element.scales = {kind_ == Kind::I16 ? 1.0f / 32768 : 1.0f / 128};
  element.zeroPoints = {kind_ == Kind::U8 ? 128 : 0};
  return element;
}

Element Draft::unit() const {
  Element element = symmetricUnit();
  if (!isQuantized() || kind_ == Kind::I16)
    return element;
  element.scales = {1.0f / 256};
  element.zeroPoints = {kind_ == Kind::I8 ? -128 : 0};
  return element;
}

Bytes Draft::values(const Shape &shape, const Element &element, Range range) {
  if (fillsItsRange(element.type) && !element.scales.empty())
    range = fullRange(element.type);
  const bool isReal = element.type == TensorType::FLOAT32 || element.type == TensorType::FLOAT16;
  std::vector<double> values(static_cast<size_t>(numElements(shape)));
  for (double &value : values)
    if (element.type == TensorType::BOOL)
      value = pick(0, 1);
    else if (isReal)
      value = real(range.low, range.high);
    else
      value = pick(static_cast<int32_t>(range.low), static_cast<int32_t>(range.high));
  return encode(values, element.type);
}

int32_t Draft::input(const Shape &shape, const Element &element, Range range) {
  return model_.addInput(shape, element, values(shape, element, range));
}

int32_t Draft::constant(const Shape &shape, const Element &element, Range range) {
  return model_.addConstant(shape, element, values(shape, element, range));
}

int32_t Draft::operand(const Shape &shape, const Element &element, Range range) {
  return oneIn(2) ? input(shape, element, range) : constant(shape, element, range);
}

int32_t Draft::integers(const std::vector<int64_t> &values, TensorType type) {
  return model_.addConstant({static_cast<int32_t>(values.size())}, plain(type),
                            encode({values.begin(), values.end()}, type));
}

int32_t Draft::integer(int64_t value, TensorType type) {
  return model_.addConstant({}, plain(type), encode({static_cast<double>(value)}, type));
}

tflite::ActivationFunction Draft::clamp() {
  using tflite::ActivationFunction;
  return any<ActivationFunction>({ActivationFunction::NONE, ActivationFunction::NONE, ActivationFunction::RELU,
                                  ActivationFunction::RELU6, ActivationFunction::RELU_N1_TO_1});
}

} // namespace avocet::differential
