//===- KnownIntegers.h - Integers that need no device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models compute shapes, slice bounds and loop counters with the same operations as their data. An importer needs such
// integers before the device runs.
//
// The start and the end of a part may depend on data while their difference does not, as in x[i:i+3].
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_KNOWNINTEGERS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_KNOWNINTEGERS_H

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>

namespace avocet::compiler {

using nn::Integers;

/// The elements of i64, i32 and i1 values that follow from constants. Answers are kept by value: call stop() before an
/// operation is erased, since a later one could have its address.
class KnownIntegers {
public:
  /// The elements of the value; null if they depend on an argument, if their operation folds no integers
  /// (FoldedIntegers.h), or above its limit or kMostDepth.
  const Integers *of(mlir::Value value);

  /// From now on nothing is known.
  void stop() {
    known_.clear();
    stopped_ = true;
  }

  /// Of operations between a value and those that were asked about before; more could exceed the stack.
  static constexpr uint32_t kMostDepth = 256;

private:
  std::optional<Integers> compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, std::unique_ptr<Integers>> known_; ///< null: not known
  uint32_t depth_ = 0;                                           ///< of calls
  bool stopped_ = false;
};

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

/// The arguments of blocks that the value depends on.
llvm::SmallVector<mlir::BlockArgument> argumentsOf(mlir::Value value);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_KNOWNINTEGERS_H
