//===- Context.h - Shared functions of the validation -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_VALIDATION_CONTEXT_H
#define AVOCET_HAL_VALIDATION_CONTEXT_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace avocet::hal {

/// `error` with the place prepended: "operand 3: ...".
template <typename... Args> Error at(const Error &error, fmt::format_string<Args...> place, Args &&...args) {
  return {error.code, fmt::format(place, std::forward<Args>(args)...) + ": " + error.message};
}

/// The objects that operands may refer to.
struct ModelContext {
  const Model &model;
  std::vector<uint64_t> poolSizes;
  std::vector<uint16_t> prefixes; ///< of the extensions, sorted
  bool hasPrefix(uint16_t prefix) const;
};

ModelContext contextOf(const Model &model);

/// 1.2 if the prefix of an extension's code is listed.
Result<Version> validatePrefix(const ModelContext &context, uint16_t prefix);

/// One operand by itself, with its location. The subgraph of a SUBGRAPH operand is not validated.
Result<Version> validateOperand(const ModelContext &context, const Operand &operand);

/// Operands, operations, lists of inputs and outputs, order of execution.
Result<Version> validateSubgraph(const ModelContext &context, const Subgraph &subgraph);

/// InvalidArgument if a subgraph contains itself, directly or through others.
Outcome checkNoRecursion(const std::vector<Subgraph> &referenced);

/// True for lower case letters, digits, '_' and '.', with at least one '.'.
bool isValidExtensionName(std::string_view name);

} // namespace avocet::hal

#endif // AVOCET_HAL_VALIDATION_CONTEXT_H
