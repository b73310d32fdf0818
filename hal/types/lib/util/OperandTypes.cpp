//===- OperandTypes.cpp - The table of operand types ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

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

std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

std::optional<uint64_t> checkedMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

std::optional<uint64_t> checkedRoundUp(uint64_t value, uint64_t multiple) {
  uint64_t rest = value % multiple;
  return rest == 0 ? value : checkedAdd(value, multiple - rest);
}

/// The bytes of the known extents alone.
static std::optional<uint64_t> sizeOfKnownExtents(uint64_t elementSize, std::span<const uint32_t> dimensions) {
  uint64_t size = elementSize;
  for (uint32_t extent : dimensions) {
    if (extent == 0)
      continue;
    std::optional<uint64_t> product = checkedMultiply(size, extent);
    if (!product || *product > kMaxByteSize)
      return std::nullopt;
    size = *product;
  }
  return size;
}

std::optional<uint64_t> getNonExtensionSize(OperandType type, std::span<const uint32_t> dimensions) {
  const OperandTypeInfo *info = findOperandType(type);
  if (info == nullptr)
    return std::nullopt;
  std::optional<uint64_t> size = sizeOfKnownExtents(info->byteSize, dimensions);
  bool isUnknown = (info->isTensor && dimensions.empty()) || std::ranges::find(dimensions, 0U) != dimensions.end();
  return size && isUnknown ? 0 : size;
}

std::optional<uint64_t> getNonExtensionSize(const Operand &operand) {
  return getNonExtensionSize(operand.type, operand.dimensions);
}

namespace {
struct SizeVisitor {
  uint64_t operator()(const HardwareBuffer &buffer) const { return buffer.isBlob ? buffer.size : 0; }
  template <typename Handle> uint64_t operator()(const Handle &handle) const { return handle.size; }
};
} // namespace

uint64_t sizeOf(const Memory &memory) { return std::visit(SizeVisitor(), memory.handle); }

std::optional<std::vector<uint32_t>> combineDimensions(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.empty() || b.empty())
    return std::vector<uint32_t>(a.empty() ? b.begin() : a.begin(), a.empty() ? b.end() : a.end());
  if (a.size() != b.size())
    return std::nullopt;
  std::vector<uint32_t> combined(a.begin(), a.end());
  for (size_t i = 0; i < b.size(); ++i) {
    if (combined[i] != 0 && b[i] != 0 && combined[i] != b[i])
      return std::nullopt;
    combined[i] = std::max(combined[i], b[i]);
  }
  return combined;
}

} // namespace avocet::hal
