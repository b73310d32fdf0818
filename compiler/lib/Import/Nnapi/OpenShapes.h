//===- OpenShapes.h - Extreme choices of unknown extents --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation whose operands have unknown extents is checked at extreme choices of them. Its need of on-chip memory
// either does not depend on an extent, because its kernel can be cut along it, or grows with it. In the second case it
// exceeds any SRAM well before a tensor reaches the maximum number of elements of an execution. An operation that fits
// at the extremes therefore fits at all extents between them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENSHAPES_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENSHAPES_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::compiler {

/// Extents of a tensor; 0 where unknown.
using Extents = llvm::SmallVector<int64_t>;

/// One choice for every unknown extent of some operands, in their order: each is either a fixed number or large.
struct OpenChoice {
  llvm::SmallVector<int64_t> fixed; ///< 0: large
  bool isRound = true;              ///< large extents have many divisors, for operations that divide an axis
  bool operator==(const OpenChoice &) const = default;
};

class OpenShapes {
public:
  /// `operands`: the operands of one operation, with 0 for unknown extents.
  explicit OpenShapes(std::vector<Extents> operands);

  size_t numOpen() const { return open_.size(); }

  /// Extreme choices: combinations of one and large, and a few small numbers. With `few`: one large axis at a time, and
  /// all axes large, without other combinations.
  std::vector<OpenChoice> choices(bool few) const;

  /// Choices in which the open extents marked by `pinned` take each of the known extents of other operands.
  std::vector<OpenChoice> choicesPinned(llvm::ArrayRef<bool> pinned) const;

  /// The operands' extents under a choice, with at most `elements` elements in each operand. All large extents have the
  /// same size, the largest that this allows; nullopt if it is below 2.
  std::optional<std::vector<Extents>> shapes(const OpenChoice &choice, int64_t elements) const;

private:
  struct Axis {
    size_t operand, axis;
  };

  int64_t largeExtent(const OpenChoice &choice, int64_t elements) const;

  std::vector<Extents> operands_;
  std::vector<Axis> open_;
  llvm::SmallVector<int64_t> known_; ///< distinct known extents above 1
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENSHAPES_H
