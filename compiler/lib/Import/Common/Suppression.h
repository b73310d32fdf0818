//===- Suppression.h - Known boxes that do not overlap ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SUPPRESSION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SUPPRESSION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace avocet::compiler {

/// Two coordinates along each axis, y and x.
struct Box {
  float low[2], high[2];

  /// Of two opposite corners [y, x, y, x], or of a center and extents [x, y, width, height].
  static Box of(llvm::ArrayRef<float> numbers, bool hasCenter);

  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
  /// Whether the common part of both, divided by their union, is above the threshold.
  bool overlaps(const Box &other, float threshold) const;
};

struct Suppression {
  int64_t most;
  float overlap;
  std::optional<float> score; ///< others are not above it

  /// The boxes that are selected, best first.
  llvm::SmallVector<int64_t> selected(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<float> scores) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SUPPRESSION_H
