//===- Permutations.h - Orders of axes and channels -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Place i of a permuted thing has number order[i] of the original.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_PERMUTATIONS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_PERMUTATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

namespace avocet::compiler::nn {

using Permutation = llvm::SmallVector<int64_t>;

inline Permutation identity(size_t size) {
  Permutation result(size);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

inline Permutation inverse(llvm::ArrayRef<int64_t> order) {
  Permutation result(order.size());
  for (auto [place, number] : llvm::enumerate(order))
    result[number] = static_cast<int64_t>(place);
  return result;
}

/// What comes of one order after another.
inline Permutation after(llvm::ArrayRef<int64_t> second, llvm::ArrayRef<int64_t> first) {
  return llvm::map_to_vector(second, [&](int64_t place) { return first[place]; });
}

/// The order that makes `to` of `from`.
inline Permutation between(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  return after(to, inverse(from));
}

/// The extents in another order.
inline Permutation permuted(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order) {
  return after(order, shape);
}

/// The axes that have more than one element, which are those that a transpose moves. Orders with the same ones leave
/// the elements in the same places.
inline Permutation movedAxes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order) {
  return llvm::filter_to_vector(order, [&](int64_t axis) { return shape[axis] != 1; });
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_PERMUTATIONS_H
