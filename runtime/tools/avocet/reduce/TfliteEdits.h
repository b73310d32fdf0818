//===- TfliteEdits.h - Changes that make a .tflite model smaller -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each function changes a model in place. It returns false if the change does not apply; the model is then unspecified.
// The changed model may be one that no compiler accepts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEEDITS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEEDITS_H

#include "avocet/analysis/TfliteModel.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avocet::tool {

/// A range of a list.
struct Range {
  size_t first = 0, size = 0;
  bool contains(size_t index) const { return index >= first && index - first < size; }
};

/// Removes operators of the main graph. Values that they computed for others become inputs of the network; values that
/// were computed for them become outputs.
bool cutOperators(tflite::ModelT &model, Range operators);

/// Lets the readers of operators' results in the main graph read an input of the operator of the same type and shape,
/// in the range where there is one.
bool bypassOperators(tflite::ModelT &model, Range operators);

bool dropOutputs(tflite::ModelT &model, Range outputs);

/// Removes recorded ranges, signatures, metadata and the description.
bool dropAnnotations(tflite::ModelT &model);

enum class Filling { Zero, FirstElement };

/// Buffers whose elements are not yet equal (Zero: to zero), in order.
std::vector<uint32_t> unfilledBuffers(const tflite::ModelT &model, Filling filling);

/// Fills a range of the list of unfilledBuffers().
bool fillConstants(tflite::ModelT &model, Filling filling, Range constants);

/// A change of extents. In all tensors of the main graph, extents `from` become `to`: on every axis, or on one axis of
/// tensors of one rank. Constants are cut to their first elements; scales of an axis as well; lists of extents among
/// the constants are changed.
struct ShapeChange {
  static constexpr int32_t kHalveAll =
      0;                    ///< as `from`: each extent by half, rounded up, of tensors that are not constant
  int32_t from = 0, to = 0; ///< 0 < to < from
  int32_t rank = -1;        ///< -1: of tensors of every rank, on every axis
  int32_t axis = 0;
  bool operator==(const ShapeChange &) const = default;
};

/// Changes to try, the largest first.
std::vector<ShapeChange> shapeChanges(const tflite::ModelT &model);

bool changeShapes(tflite::ModelT &model, const ShapeChange &change);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEEDITS_H
