//===- Codes.h - Operation and operand codes of NNAPI -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard codes of NNAPI, with names and first feature levels, for all folders. The tables are Operations.inc and
// OperandTypes.inc. Codes from peers and files may be any number: a cast keeps it, and the queries below answer "none"
// for numbers that are no standard code, such as those of extensions.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NNAPI_CODES_H
#define AVOCET_NNAPI_CODES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace avocet::nnapi {

enum class OperationType : int32_t {
#define AVOCET_NNAPI_OPERATION(CODE, ENUMERATOR, NAME, LEVEL) ENUMERATOR = CODE,
#include "avocet/nnapi/Operations.inc"
};

enum class OperandType : int32_t {
#define AVOCET_NNAPI_OPERAND_TYPE(CODE, ENUMERATOR, NAME, BYTES, LEVEL) ENUMERATOR = CODE,
#include "avocet/nnapi/OperandTypes.inc"
};

struct OperationInfo {
  OperationType type;
  std::string_view name; ///< "CONV_2D"
  uint32_t level;        ///< the first feature level with the operation, 1 to 8
};

struct OperandTypeInfo {
  OperandType type;
  std::string_view name; ///< "TENSOR_FLOAT32"
  uint32_t elementBytes; ///< 0 for SUBGRAPH
  uint32_t level;        ///< the first feature level with the type, 1 to 8
};

/// All operations, indexed by code.
inline constexpr std::array kOperations = {
#define AVOCET_NNAPI_OPERATION(CODE, ENUMERATOR, NAME, LEVEL) OperationInfo{OperationType::ENUMERATOR, NAME, LEVEL},
#include "avocet/nnapi/Operations.inc"
};

/// All operand types, indexed by code.
inline constexpr std::array kOperandTypes = {
#define AVOCET_NNAPI_OPERAND_TYPE(CODE, ENUMERATOR, NAME, BYTES, LEVEL)                                                \
  OperandTypeInfo{OperandType::ENUMERATOR, NAME, BYTES, LEVEL},
#include "avocet/nnapi/OperandTypes.inc"
};

template <typename Table> constexpr bool isIndexedByCode(const Table &table) {
  for (size_t code = 0; code < table.size(); ++code)
    if (static_cast<size_t>(table[code].type) != code)
      return false;
  return true;
}
static_assert(isIndexedByCode(kOperations) && isIndexedByCode(kOperandTypes), "infoOf() takes the code as index");

/// The row of a standard code, else null.
constexpr const OperationInfo *infoOf(OperationType type) {
  auto code = static_cast<uint32_t>(type);
  return code < kOperations.size() ? &kOperations[code] : nullptr;
}
constexpr const OperandTypeInfo *infoOf(OperandType type) {
  auto code = static_cast<uint32_t>(type);
  return code < kOperandTypes.size() ? &kOperandTypes[code] : nullptr;
}

/// The name of a standard code, else empty.
template <typename Code> constexpr std::string_view nameOf(Code type) {
  const auto *info = infoOf(type);
  return info == nullptr ? std::string_view() : info->name;
}

/// Bytes of one element; 0 for SUBGRAPH and codes that are no standard type.
constexpr uint32_t elementBytes(OperandType type) {
  const OperandTypeInfo *info = infoOf(type);
  return info == nullptr ? 0 : info->elementBytes;
}

/// Standard types only. SUBGRAPH is neither a tensor nor a scalar.
constexpr bool isTensor(OperandType type) { return nameOf(type).starts_with("TENSOR_"); }
constexpr bool isScalar(OperandType type) { return elementBytes(type) != 0 && !isTensor(type); }

} // namespace avocet::nnapi

#endif // AVOCET_NNAPI_CODES_H
