//===- Attention.h - Attention and rotary embeddings ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heads are an axis: queries [batch, heads, length, width], keys and values [batch, key heads, total, width]. A group
// of heads that share keys is one matrix with as many rows as all of them have, which is a change of shape only.
//
// Functions that return a value return null after a report, or if an operand is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_ATTENTION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_ATTENTION_H

#include "ImportedOperation.h"

#include <array>
#include <limits>

namespace avocet::compiler {

/// [batch, length, heads * width] as [batch, heads, length, width], and back.
mlir::Value headsFirst(ImportedOperation &op, mlir::Value value, int64_t heads);
mlir::Value headsLast(ImportedOperation &op, mlir::Value value);

/// Elements of the last axis; those of a constant are one.
mlir::Value columns(ImportedOperation &op, mlir::Value value, int64_t first, int64_t count);

struct Attention {
  mlir::Value q, k, v;
  mlir::SmallVector<mlir::Value> biases = {}; ///< added to the products: masks and others
  int64_t past = 0;                           ///< keys before the first query
  float scale = 0;                            ///< 0: one over the root of the width
  float softcap = 0;                          ///< 0: none
  /// What run() computes on the way, in this order.
  mlir::Value products = {}, capped = {}, biased = {}, weights = {};

  /// Operands without heads that follow one another in the last axis, as many elements of each.
  static Attention unpacked(ImportedOperation &op, mlir::Value packed, std::array<int64_t, 3> widths);
  /// headsFirst() of operands without heads.
  void splitHeads(ImportedOperation &op, int64_t queryHeads, int64_t keyHeads);

  int64_t length() const { return shapeOf(q)[2]; }
  int64_t total() const { return shapeOf(k)[2]; }

  /// Reports operands that do not fit each other. Fails without a report if one is null.
  mlir::LogicalResult check(ImportedOperation &op) const;
  /// Puts the keys and values of a past before those of the present. All have heads.
  void appendPast(ImportedOperation &op, mlir::Value key, mlir::Value value);

  // Masks as biases, 0 or `masked`: of keys after the position of each query; of keys from a length of each batch on,
  // i32 or i64 [batch]; where a condition does not hold.
  void maskFuture(ImportedOperation &op);
  void maskAfter(ImportedOperation &op, mlir::Value lengths, double masked = kMasked);
  /// A mask of truth values or numbers; keys that a shorter one does not have are masked.
  void maskBy(ImportedOperation &op, mlir::Value mask);
  /// A mask of integers: one number for each key, [batch or 1, (length,) total], or the number of keys of each batch.
  mlir::LogicalResult maskKeys(ImportedOperation &op, mlir::Value mask, double masked);
  void maskUnless(ImportedOperation &op, mlir::Value condition, double masked = kMasked);

  /// [batch, heads, length, width of values]
  mlir::Value run(ImportedOperation &op);

  static constexpr double kMasked = -std::numeric_limits<double>::infinity();
};

/// Rotates pairs of elements of the first `2 * width of cosine` elements of the last of four axes. `isInterleaved`:
/// pairs are neighbors, else half of these elements apart.
mlir::Value rotated(ImportedOperation &op, mlir::Value x, mlir::Value cosine, mlir::Value sine, bool isInterleaved);

/// Rows of a table of angles as [batch or 1, 1, length, half]: at positions [batch, length], or without them those from
/// `first` on. A table of rank 3 has the rows of each batch.
mlir::Value anglesOf(ImportedOperation &op, mlir::Value table, mlir::Value positions, int64_t first, int64_t length);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_ATTENTION_H
