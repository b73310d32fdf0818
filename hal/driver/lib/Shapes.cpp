//===- Shapes.cpp - Sizes of operands ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include <algorithm>

namespace avocet::hal {
namespace {

uint64_t elementBytes(OperandType type) {
  switch (type) {
  case OperandType::Float32:
  case OperandType::Int32:
  case OperandType::UInt32:
  case OperandType::TensorFloat32:
  case OperandType::TensorInt32:
    return 4;
  case OperandType::TensorQuant16Symm:
  case OperandType::TensorQuant16Asymm:
  case OperandType::TensorFloat16:
  case OperandType::Float16:
    return 2;
  case OperandType::TensorQuant8Asymm:
  case OperandType::TensorQuant8AsymmSigned:
  case OperandType::TensorQuant8Symm:
  case OperandType::TensorQuant8SymmPerChannel:
  case OperandType::TensorBool8:
  case OperandType::Bool:
    return 1;
  case OperandType::Subgraph:
    return 0;
  }
  return 0;
}

} // namespace

bool isScalarType(OperandType type) {
  switch (type) {
  case OperandType::Float32:
  case OperandType::Int32:
  case OperandType::UInt32:
  case OperandType::Bool:
  case OperandType::Float16:
    return true;
  default:
    return false;
  }
}

bool isUnknown(OperandType type, const std::vector<uint32_t> &dimensions) {
  if (isScalarType(type))
    return false;
  return dimensions.empty() || std::find(dimensions.begin(), dimensions.end(), 0u) != dimensions.end();
}

std::optional<uint64_t> byteSizeOf(OperandType type, const std::vector<uint32_t> &dimensions) {
  if (isUnknown(type, dimensions))
    return std::nullopt;
  uint64_t bytes = elementBytes(type);
  for (uint32_t extent : dimensions)
    if (__builtin_mul_overflow(bytes, uint64_t{extent}, &bytes))
      return std::nullopt;
  return bytes;
}

std::optional<std::vector<uint32_t>> combine(const std::vector<uint32_t> &left, const std::vector<uint32_t> &right) {
  if (left.empty() || right.empty())
    return left.empty() ? right : left;
  if (left.size() != right.size())
    return std::nullopt;
  std::vector<uint32_t> both(left);
  for (size_t i = 0; i < both.size(); ++i) {
    if (left[i] != 0 && right[i] != 0 && left[i] != right[i])
      return std::nullopt;
    both[i] = std::max(left[i], right[i]);
  }
  return both;
}

} // namespace avocet::hal
