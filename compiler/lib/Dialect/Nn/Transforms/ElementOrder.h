//===- ElementOrder.h - Orders that moves give to elements ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_ELEMENTORDER_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_ELEMENTORDER_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace avocet::compiler::nn {

/// Which element of a source each element of a tensor is, as a nest of loops over the source. Shapes do not matter: two
/// chains of reshapes and transposes move elements alike if and only if their orders are equal.
class ElementOrder {
public:
  /// That of the source itself.
  explicit ElementOrder(int64_t elements);

  /// The order after a transpose of a tensor with this shape, whose elements have this order; nullopt if an axis of the
  /// shape is no whole number of loops.
  std::optional<ElementOrder> transposed(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> permutation) const;

  /// The order inside each row, if all rows keep their places and their elements.
  std::optional<ElementOrder> insideRows(int64_t rowElements) const;

  /// The places in the source.
  llvm::SmallVector<int64_t> places() const;

  bool isIdentity() const { return loops_.empty() || (loops_.size() == 1 && loops_.front().stride == 1); }
  friend bool operator==(const ElementOrder &, const ElementOrder &) = default;

private:
  struct Loop {
    int64_t extent, stride;
    friend bool operator==(const Loop &, const Loop &) = default;
  };
  ElementOrder() = default;
  /// Appends an inner loop. Each loop has an extent above 1, and no two could be one.
  void append(Loop loop);
  /// Removes the innermost loops with this many iterations, outermost last; nullopt if there are none.
  static std::optional<llvm::SmallVector<Loop>> takeInner(llvm::SmallVector<Loop> &loops, int64_t iterations);

  llvm::SmallVector<Loop> loops_;
};

/// A value as moved elements of another one.
struct MovedElements {
  mlir::Value source;
  ElementOrder order;
};

/// Follows reshapes and transposes upwards, as far as one order describes them.
MovedElements traceMoves(mlir::Value value);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_ELEMENTORDER_H
