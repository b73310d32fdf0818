//===- NnShapeRules.h - Rules that several shapes follow ------- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_NNSHAPERULES_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_NNSHAPERULES_H

#include "avocet/compiler/Dialect/Nn/NnShapes.h"

namespace avocet::compiler::nn {

mlir::LogicalResult checkRank(ShapeErrors errors, llvm::StringRef name, ShapeRef shape, size_t rank);

/// Fails unless the shape, which `name` describes, fits.
mlir::LogicalResult checkShape(ShapeErrors errors, llvm::StringRef name, ShapeRef shape, ShapeRef expected);

/// Fails unless the attribute has `count` entries, each at least `least` and below 2^31.
mlir::LogicalResult checkArray(ShapeErrors errors, llvm::StringRef name, llvm::ArrayRef<int64_t> values, size_t count,
                               int64_t least);

mlir::LogicalResult checkNumber(ShapeErrors errors, llvm::StringRef name, int64_t value, int64_t least);

/// A function of extents, open if one of them is.
template <typename Function, typename... Extents> int64_t ofExtents(Function function, Extents... extents) {
  return (isOpen(extents) || ...) ? mlir::ShapedType::kDynamic : function(extents...);
}

/// Two extents that fit, of which one may be open.
inline int64_t merged(int64_t a, int64_t b) { return isOpen(a) ? b : a; }

/// Rows or columns that a window moves over.
struct Axis {
  llvm::StringRef name; ///< "height", "width"
  int64_t input, kernel, stride, dilation, padBefore, padAfter;
};

/// The number of windows. The figures of the attributes are in range.
mlir::FailureOr<int64_t> windowsOf(const Axis &axis, ShapeErrors errors);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_NNSHAPERULES_H
