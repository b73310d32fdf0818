//===- Draft.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

namespace avocet::hal::conformance {
namespace {

using enum OperandType;

constexpr uint32_t kReuse = 85;    ///< percent of operands that come from the graph
constexpr uint32_t kConstant = 30; ///< percent of new secondary tensors that are constants

constexpr auto kLetters = std::to_array<std::pair<char, OperandType>>({
    {'f', TensorFloat32},
    {'h', TensorFloat16},
    {'i', TensorInt32},
    {'b', TensorBool8},
    {'u', TensorQuant8Asymm},
    {'s', TensorQuant8AsymmSigned},
    {'p', TensorQuant8SymmPerChannel},
    {'y', TensorQuant8Symm},
    {'q', TensorQuant16Symm},
    {'Q', TensorQuant16Asymm},
});

bool isOneOf(std::string_view types, OperandType type) {
  return std::ranges::any_of(
      kLetters, [&](const auto &row) { return row.second == type && types.find(row.first) != std::string_view::npos; });
}

/// "f1 u1 h3" -> "fuh"
std::string lettersOf(std::string_view list) {
  std::string letters;
  for (size_t i = 0; i < list.size(); i += 3)
    letters += list[i];
  return letters;
}

/// Bits of an exact binary16 value.
uint16_t halfOf(float value) {
  if (value == 0)
    return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent) * 2; // 1 <= fraction < 2
  const float mantissa = (fraction - 1) * 1024;
  assert(mantissa == std::floor(mantissa) && exponent > -14 && exponent <= 16 && "not exact in binary16");
  const auto bits = static_cast<uint16_t>((exponent + 14) << 10 | static_cast<int>(mantissa));
  return value < 0 ? static_cast<uint16_t>(bits | 0x8000) : bits;
}

template <typename T> void store(Bytes &bytes, T value) {
  const auto raw = std::bit_cast<std::array<uint8_t, sizeof(T)>>(value);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void storeReal(Bytes &bytes, OperandType type, float value) {
  if (type == TensorFloat16)
    store(bytes, halfOf(value));
  else
    store(bytes, value);
}

/// Magnitudes from 1/16 to 8.
uint16_t randomHalf(Random &random) {
  const uint64_t sign = random.below(2), exponent = 11 + random.below(7), fraction = random.below(1024);
  return static_cast<uint16_t>(sign << 15 | exponent << 10 | fraction);
}

void storeRandom(Bytes &bytes, OperandType type, Random &random) {
  switch (type) {
  case TensorFloat32:
    return store(bytes, random.percent(3) ? 0.0f : random.real(-4, 4));
  case TensorFloat16:
    return store(bytes, randomHalf(random));
  case TensorInt32:
    return store(bytes, random.between(-20, 20));
  case TensorBool8:
    return store(bytes, static_cast<uint8_t>(random.below(2)));
  case TensorQuant8SymmPerChannel: // -128 is no value of symmetric weights
  case TensorQuant8Symm:
    return store(bytes, static_cast<int8_t>(random.between(-127, 127)));
  case TensorQuant16Symm:
  case TensorQuant16Asymm:
    return store(bytes, static_cast<uint16_t>(random.below(65536)));
  default:
    return store(bytes, static_cast<uint8_t>(random.below(256)));
  }
}

void quantize(Value &value, float scale, int32_t zeroPoint) {
  if (!isQuantized(value.type))
    return;
  value.scale = scale;
  const OperandTypeInfo &info = *findOperandType(value.type);
  value.zeroPoint = std::clamp(zeroPoint, info.minZeroPoint, info.maxZeroPoint);
}

int32_t randomZeroPoint(OperandType type, Random &random) {
  const OperandTypeInfo &info = *findOperandType(type);
  if (info.minZeroPoint == info.maxZeroPoint)
    return info.minZeroPoint;
  const int32_t middle = (info.minZeroPoint + info.maxZeroPoint + 1) / 2;
  return random.flip() ? middle : random.between(info.minZeroPoint, info.maxZeroPoint);
}

} // namespace

OperandType typeOfLetter(char letter) {
  return std::ranges::find(kLetters, letter, &std::pair<char, OperandType>::first)->second;
}

bool isAsymmetric8Bit(OperandType type) { return type == TensorQuant8Asymm || type == TensorQuant8AsymmSigned; }
bool isFloating(OperandType type) { return type == TensorFloat32 || type == TensorFloat16; }

std::optional<uint32_t> Draft::find(std::string_view types, Ranks ranks) {
  std::vector<uint32_t> fitting;
  for (uint32_t i = 0; i < graph_.values.size(); ++i) {
    const Value &value = graph_.values[i];
    const auto rank = static_cast<uint32_t>(value.dimensions.size());
    if (value.role != ValueRole::Constant && value.role != ValueRole::Omitted && isOneOf(types, value.type) &&
        rank >= ranks.least && rank <= ranks.most)
      fitting.push_back(i);
  }
  if (preferred_ && std::ranges::find(fitting, *preferred_) != fitting.end())
    return preferred_;
  if (fitting.empty())
    return std::nullopt;
  // The larger of two draws: graphs become deep, but values with several readers occur too.
  return fitting[std::max(random_.below(fitting.size()), random_.below(fitting.size()))];
}

uint32_t Draft::pick(std::string_view types, Ranks ranks) {
  if (random_.percent(kReuse))
    if (std::optional<uint32_t> found = find(types, ranks))
      return *found;
  const OperandType type = typeOfLetter(types[random_.below(types.size())]);
  return fresh(type, randomShape(ranks));
}

uint32_t Draft::pickLeading(Ranks ranks) { return pick(lettersOf(findSignature(type())->types), ranks); }

uint32_t Draft::pickShape(const Value &like, const Dimensions &dimensions, bool sameQuantization) {
  std::vector<uint32_t> fitting;
  for (uint32_t i = 0; i < graph_.values.size(); ++i) {
    const Value &value = graph_.values[i];
    const bool hasQuantization = value.scale == like.scale && value.zeroPoint == like.zeroPoint;
    // A bias is TENSOR_INT32 with a scale: other operations read no numbers from it.
    const bool mayDiffer = !sameQuantization && isQuantized(value.type);
    if (value.role != ValueRole::Omitted && value.type == like.type && value.dimensions == dimensions &&
        (hasQuantization || mayDiffer))
      fitting.push_back(i);
  }
  if (!fitting.empty() && random_.percent(kReuse))
    return random_.oneOf(fitting);
  const ValueRole role = random_.percent(kConstant) ? ValueRole::Constant : ValueRole::Input;
  return sameQuantization ? freshLike(like, dimensions, role) : fresh(like.type, dimensions, role);
}

Dimensions Draft::randomShape(Ranks ranks) {
  Dimensions dimensions(random_.extent(ranks.least, ranks.most), 1);
  uint64_t room = maxElements_;
  for (size_t i = dimensions.size(); i-- > 0;) {
    // The first extent of many is the batch, which is 1 in most networks.
    const bool isBatch = i == 0 && dimensions.size() > 2;
    const uint64_t most = isBatch && random_.percent(80) ? 1 : random_.percent(30) ? 40 : 10;
    dimensions[i] = random_.extent(1, static_cast<uint32_t>(std::min(most, room)));
    room /= dimensions[i];
  }
  return dimensions;
}

Bytes Draft::randomBytes(OperandType type, uint64_t count) {
  Bytes bytes;
  for (uint64_t i = 0; i < count; ++i)
    storeRandom(bytes, type, random_);
  return bytes;
}

uint32_t Draft::add(Value value) {
  made_.values.push_back(std::move(value));
  return static_cast<uint32_t>(made_.values.size() - 1);
}

uint32_t Draft::fresh(OperandType type, const Dimensions &dimensions, ValueRole role) {
  Value value;
  value.type = type;
  value.dimensions = dimensions;
  value.role = role;
  value.bytes = randomBytes(type, value.numElements());
  if (isQuantized(type)) {
    const float scale = random_.oneOf({0.5f, 0.25f, 0.1f, 0.05f, 1.0f / 128});
    quantize(value, scale, randomZeroPoint(type, random_));
  }
  return add(std::move(value));
}

uint32_t Draft::freshLike(const Value &like, const Dimensions &dimensions, ValueRole role) {
  const float scale = like.scale;
  const int32_t zeroPoint = like.zeroPoint;
  const uint32_t made = fresh(like.type, dimensions, role);
  quantize(made_.values[made], scale, zeroPoint);
  return made;
}

uint32_t Draft::drawn(OperandType type, const Dimensions &dimensions, std::initializer_list<float> among) {
  Value value;
  value.type = type;
  value.dimensions = dimensions;
  for (uint64_t i = 0; i < value.numElements(); ++i)
    storeReal(value.bytes, type, random_.oneOf(among));
  return add(std::move(value));
}

uint32_t Draft::omitted(OperandType type) {
  Value value;
  value.type = type;
  value.role = ValueRole::Omitted;
  quantize(value, 1.0f / 128, 0); // its type must be valid
  return add(std::move(value));
}

uint32_t Draft::integers(const std::vector<int32_t> &values) {
  return integers(values, {static_cast<uint32_t>(values.size())});
}

uint32_t Draft::integers(const std::vector<int32_t> &values, const Dimensions &dimensions) {
  Value value;
  value.type = TensorInt32;
  value.dimensions = dimensions;
  value.role = ValueRole::Constant;
  for (int32_t number : values)
    store(value.bytes, number);
  return add(std::move(value));
}

template <typename T> uint32_t Draft::scalar(OperandType type, T number) {
  Value value;
  value.type = type;
  value.role = ValueRole::Constant;
  store(value.bytes, number);
  return add(std::move(value));
}

uint32_t Draft::integer(int32_t number) { return scalar(Int32, number); }
uint32_t Draft::boolean(bool truth) { return scalar(Bool, static_cast<uint8_t>(truth)); }
uint32_t Draft::real(float number, OperandType leading) {
  return leading == TensorFloat16 ? scalar(Float16, halfOf(number)) : scalar(Float32, number);
}

void Draft::output(OperandType type, uint32_t rank, float scale, int32_t zeroPoint) {
  Value value;
  value.type = type;
  value.dimensions.assign(rank, 0);
  value.role = ValueRole::Result;
  quantize(value, scale, zeroPoint);
  made_.operations.back().outputs.push_back(add(std::move(value)));
}

void Draft::outputLike(uint32_t like, uint32_t rank) {
  output(at(like).type, rank, at(like).scale, at(like).zeroPoint);
}

void Draft::outputScaled(uint32_t like, uint32_t rank, float scale) {
  const OperandType type = at(like).type;
  if (!isQuantized(type))
    return output(type, rank);
  const float factor = random_.oneOf({1.0f, 1.5f, 2.0f, 0.75f});
  output(type, rank, scale * factor, randomZeroPoint(type, random_));
}

void Draft::outputFixed(uint32_t like, uint32_t rank, float scale, int32_t zeroPoint) {
  const OperandType type = at(like).type;
  output(type, rank, scale, type == TensorQuant8AsymmSigned ? zeroPoint - 128 : zeroPoint);
}

} // namespace avocet::hal::conformance
