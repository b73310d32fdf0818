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

static constexpr std::array kTypes = {
    OperandTypeInfo{Float32, "FLOAT32", 4, false, V1_0, ScaleRule::None, 0, 0},
    OperandTypeInfo{Int32, "INT32", 4, false, V1_0, ScaleRule::None, 0, 0},
    OperandTypeInfo{UInt32, "UINT32", 4, false, V1_0, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorFloat32, "TENSOR_FLOAT32", 4, true, V1_0, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorInt32, "TENSOR_INT32", 4, true, V1_0, ScaleRule::Optional, 0, 0},
    OperandTypeInfo{TensorQuant8Asymm, "TENSOR_QUANT8_ASYMM", 1, true, V1_0, ScaleRule::Required, 0, 255},
    OperandTypeInfo{Bool, "BOOL", 1, false, V1_2, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorQuant16Symm, "TENSOR_QUANT16_SYMM", 2, true, V1_2, ScaleRule::Required, 0, 0},
    OperandTypeInfo{TensorFloat16, "TENSOR_FLOAT16", 2, true, V1_2, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorBool8, "TENSOR_BOOL8", 1, true, V1_2, ScaleRule::None, 0, 0},
    OperandTypeInfo{Float16, "FLOAT16", 2, false, V1_2, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorQuant8SymmPerChannel, "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, true, V1_2, ScaleRule::None, 0, 0},
    OperandTypeInfo{TensorQuant16Asymm, "TENSOR_QUANT16_ASYMM", 2, true, V1_2, ScaleRule::Required, 0, 65535},
    OperandTypeInfo{TensorQuant8Symm, "TENSOR_QUANT8_SYMM", 1, true, V1_2, ScaleRule::Required, 0, 0},
    OperandTypeInfo{TensorQuant8AsymmSigned, "TENSOR_QUANT8_ASYMM_SIGNED", 1, true, V1_3, ScaleRule::Required, -128,
                    127},
    OperandTypeInfo{OperandType::Subgraph, "SUBGRAPH", 0, false, V1_3, ScaleRule::None, 0, 0},
};

static constexpr bool isIndexedByCode() {
  for (size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].type != static_cast<OperandType>(i))
      return false;
  return true;
}
static_assert(isIndexedByCode(), "findOperandType() takes the code as index");

std::span<const OperandTypeInfo> allOperandTypes() { return kTypes; }

const OperandTypeInfo *findOperandType(OperandType type) {
  auto code = static_cast<uint32_t>(type);
  return code < kTypes.size() ? &kTypes[code] : nullptr;
}

bool isExtension(OperandType type) { return static_cast<uint32_t>(type) > kMaxStandardCode; }
bool isExtension(OperationType type) { return static_cast<uint32_t>(type) > kMaxStandardCode; }

uint16_t extensionPrefix(OperandType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }
uint16_t extensionPrefix(OperationType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }

bool isTensor(OperandType type) {
  const OperandTypeInfo *info = findOperandType(type);
  return info != nullptr && info->isTensor;
}

bool isScalar(OperandType type) {
  const OperandTypeInfo *info = findOperandType(type);
  return info != nullptr && !info->isTensor && type != OperandType::Subgraph;
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
