//===- OperandTypes.cpp - The table of operand types ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace avocet::hal {

using enum Version;
using enum OperandType;

namespace {
/// The zero points of a type with a scale are min to max; without one they are 0.
struct Rules {
  OperandType type;
  ScaleRule scale = ScaleRule::None;
  int32_t minZeroPoint = 0;
  int32_t maxZeroPoint = 0;
};
} // namespace

/// Types that may have a scale.
static constexpr Rules kScaled[] = {
    {TensorInt32, ScaleRule::Optional},       {TensorQuant8Asymm, ScaleRule::Required, 0, 255},
    {TensorQuant16Symm, ScaleRule::Required}, {TensorQuant16Asymm, ScaleRule::Required, 0, 65535},
    {TensorQuant8Symm, ScaleRule::Required},  {TensorQuant8AsymmSigned, ScaleRule::Required, -128, 127},
};

static constexpr Rules rulesOf(OperandType type) {
  for (const Rules &rules : kScaled)
    if (rules.type == type)
      return rules;
  return {type};
}

static constexpr OperandTypeInfo withRules(const nnapi::OperandTypeInfo &info) {
  Rules rules = rulesOf(info.type);
  return {info.type,   info.name,          info.elementBytes, isTensor(info.type), static_cast<Version>(info.level - 1),
          rules.scale, rules.minZeroPoint, rules.maxZeroPoint};
}

/// Indexed by code, like nnapi::kOperandTypes.
static constexpr auto kTypes = [] {
  std::array<OperandTypeInfo, nnapi::kOperandTypes.size()> types{};
  std::ranges::transform(nnapi::kOperandTypes, types.begin(), withRules);
  return types;
}();

std::span<const OperandTypeInfo> allOperandTypes() { return kTypes; }

const OperandTypeInfo *findOperandType(OperandType type) {
  auto code = static_cast<uint32_t>(type);
  return code < kTypes.size() ? &kTypes[code] : nullptr;
}

bool isExtension(OperandType type) { return static_cast<uint32_t>(type) > kMaxStandardCode; }
bool isExtension(OperationType type) { return static_cast<uint32_t>(type) > kMaxStandardCode; }

uint16_t extensionPrefix(OperandType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }
uint16_t extensionPrefix(OperationType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }

OperationType extensionOperation(uint16_t prefix, uint16_t number) {
  return static_cast<OperationType>(uint32_t{prefix} << 16 | number);
}

bool isOem(OperandType type) { return type == kOemScalar || type == kTensorOemByte; }

bool isQuantized(OperandType type) {
  const OperandTypeInfo *info = findOperandType(type);
  return type == TensorQuant8SymmPerChannel || (info != nullptr && info->scale == ScaleRule::Required);
}

bool isConstant(OperandLifeTime lifetime) {
  return lifetime == OperandLifeTime::ConstantCopy || lifetime == OperandLifeTime::ConstantReference;
}

bool isFullySpecified(const Operand &operand) {
  if (isTensor(operand.type) && operand.dimensions.empty())
    return false;
  return std::ranges::find(operand.dimensions, 0U) == operand.dimensions.end();
}

} // namespace avocet::hal
