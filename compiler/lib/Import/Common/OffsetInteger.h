//===- OffsetInteger.h - Differences of computed integers -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The start and the end of a part may depend on data while their difference does not, as in x[i:i+3].
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_OFFSETINTEGER_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_OFFSETINTEGER_H

#include "KnownIntegers.h"

namespace avocet::compiler {

/// The integer `offset`, or the sum of it and an element of a computed tensor.
struct OffsetInteger {
  mlir::Value base = {}; ///< null: the integer is known
  int64_t index = 0;     ///< of the element in the base
  int64_t offset = 0;

  bool isKnown() const { return !base; }
  /// Whether the difference of both is the difference of their offsets.
  bool hasBaseOf(const OffsetInteger &other) const { return base == other.base && index == other.index; }
};

/// Element `index` of a tensor of i32 or i64, with the elements in their order in memory. Follows operations that move
/// elements, sums with known integers, and casts between the two types.
OffsetInteger offsetInteger(llvm::function_ref<const Integers *(mlir::Value)> known, mlir::Value value, int64_t index);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_OFFSETINTEGER_H
