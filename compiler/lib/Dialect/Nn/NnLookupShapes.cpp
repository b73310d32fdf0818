//===- NnLookupShapes.cpp - Shapes of lookups and draws -------- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace mlir;

namespace avocet::compiler::nn {

FailureOr<Shape> gatheredShape(ShapeRef input, ShapeRef indices, int64_t axis, ShapeErrors errors) {
  if (axis < 0 || axis >= static_cast<int64_t>(input.size()))
    return errors() << "axis " << axis << " is outside of rank " << input.size();
  Shape shape(input.take_front(axis));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, input.drop_front(axis + 1));
  return shape;
}

FailureOr<Shape> slicesShape(ShapeRef table, ShapeRef indices, ShapeErrors errors) {
  if (indices.empty() || isOpen(indices.back()) || indices.back() > static_cast<int64_t>(table.size()))
    return errors() << "indices have the shape " << textOf(indices) << ", the last axis must have 1 to " << table.size()
                    << " coordinates";
  Shape shape(indices.drop_back());
  llvm::append_range(shape, table.drop_front(indices.back()));
  return shape;
}

FailureOr<Shape> scatteredShape(ShapeRef table, ShapeRef indices, ShapeRef updates, ShapeErrors errors) {
  FailureOr<Shape> slices = slicesShape(table, indices, errors);
  if (failed(slices) || failed(checkShape(errors, "updates", updates, *slices)))
    return failure();
  return Shape(table);
}

FailureOr<Shapes> topKShapes(ShapeRef input, int64_t k, ShapeErrors errors) {
  if (input.empty())
    return errors() << "input must have an axis";
  if (failed(checkNumber(errors, "k", k, 1)))
    return failure();
  if (!isOpen(input.back()) && k > input.back())
    return errors() << "takes " << k << " of " << input.back() << " elements";
  Shape shape(input);
  shape.back() = k;
  return Shapes{shape, shape};
}

FailureOr<Shapes> hashtableShapes(ShapeRef lookups, ShapeRef keys, ShapeRef values, ShapeErrors errors) {
  if (values.empty())
    return errors() << "values must have rows";
  if (failed(checkRank(errors, "lookups", lookups, 1)) || failed(checkShape(errors, "keys", keys, values.take_front())))
    return failure();
  Shape rows(values);
  rows[0] = lookups[0];
  return Shapes{rows, Shape(lookups)};
}

FailureOr<Shape> lshProjectionShape(ShapeRef seeds, ShapeRef input, std::optional<ShapeRef> weights, bool isDense,
                                    ShapeErrors errors) {
  constexpr int64_t kMostBits = 32;
  if (failed(checkRank(errors, "seeds", seeds, 2)))
    return failure();
  if (input.empty())
    return errors() << "input must have rows";
  if (!isOpen(seeds[1]) && seeds[1] > kMostBits)
    return errors() << "a hash has " << seeds[1] << " bits, must have at most " << kMostBits;
  if (weights && failed(checkShape(errors, "weights", *weights, input.take_front())))
    return failure();
  return Shape{isDense ? ofExtents(std::multiplies<int64_t>(), seeds[0], seeds[1]) : seeds[0]};
}

FailureOr<Shape> resizedShape(ShapeRef input, ShapeRef size, ShapeErrors errors) {
  if (failed(checkRank(errors, "input", input, 4)) || failed(checkArray(errors, "size", size, 2, 1)))
    return failure();
  return Shape{input[0], size[0], size[1], input[3]};
}

FailureOr<Shape> drawnShape(ShapeRef logits, ShapeRef seeds, int64_t samples, ShapeErrors errors) {
  if (failed(checkRank(errors, "logits", logits, 2)) || failed(checkShape(errors, "seeds", seeds, {2})) ||
      failed(checkNumber(errors, "samples", samples, 1)))
    return failure();
  return Shape{logits[0], samples};
}

} // namespace avocet::compiler::nn
