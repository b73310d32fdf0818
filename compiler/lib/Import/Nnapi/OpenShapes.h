//===- OpenShapes.h - Extreme choices of unknown extents --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation whose operands have unknown extents is judged at extreme choices of them. What an operation needs of
// on-chip memory either does not depend on an extent, as its kernel can be cut along it, or grows with it. In the
// second case it exceeds any SRAM long before a tensor has as many elements as an execution may bring. So an operation
// that fits at the extremes fits everywhere between.
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

/// One choice for every unknown extent of some operands, in their order: each is a fixed number or large.
struct OpenChoice {
  llvm::SmallVector<int64_t> fixed; ///< 0: large
  bool isRound = true;              ///< large extents have many divisors, for operations that divide an axis
  bool operator==(const OpenChoice &) const = default;
};

class OpenShapes {
public:
  /// The operands of one operation, as far as their extents are known.
  explicit OpenShapes(std::vector<Extents> operands);

  size_t numOpen() const { return open_.size(); }

  /// Extreme choices: combinations of one and large, and a few small numbers. With `few`, no combinations but one axis
  /// large at a time, and all of them.
  std::vector<OpenChoice> choices(bool few) const;

  /// Choices in which the open extents that `pinned` marks have each of the extents that other operands have.
  std::vector<OpenChoice> choicesPinned(llvm::ArrayRef<bool> pinned) const;

  /// The operands' extents under a choice, with at most `elements` in each operand. Large extents are as large as that
  /// allows, all the same; nothing if they would be below 2.
  std::optional<std::vector<Extents>> shapes(const OpenChoice &choice, int64_t elements) const;

private:
  struct Axis {
    size_t operand, axis;
  };

  int64_t largeExtent(const OpenChoice &choice, int64_t elements) const;

  std::vector<Extents> operands_;
  std::vector<Axis> open_;
  llvm::SmallVector<int64_t> known_; ///< extents above 1 that occur, each once
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENSHAPES_H
