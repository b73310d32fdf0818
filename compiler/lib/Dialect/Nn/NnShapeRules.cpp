//===- NnShapeRules.cpp - Rules that several shapes follow ----- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "avocet/firmware_iface/WindowInputs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler::nn {

bool fits(ShapeRef a, ShapeRef b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto extents) {
           auto [first, second] = extents;
           return fits(first, second);
         });
}

std::optional<int64_t> elementsOf(ShapeRef shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (isOpen(extent) || extent < 0 || (elements > 0 && extent > INT32_MAX / elements))
      return std::nullopt;
    elements *= extent;
  }
  return elements;
}

bool isBounded(ShapeRef shape) {
  const std::optional<int64_t> elements = elementsOf(shape);
  return elements && *elements > 0 && static_cast<int64_t>(shape.size()) <= kMaxTensorRank;
}

std::string textOf(ShapeRef shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + (isOpen(extent) ? "?" : std::to_string(extent));
  return "[" + text + "]";
}

LogicalResult checkRank(ShapeErrors errors, StringRef name, ShapeRef shape, size_t rank) {
  if (shape.size() == rank)
    return success();
  return errors() << "rank of " << name << " is " << shape.size() << ", must be " << rank;
}

LogicalResult checkShape(ShapeErrors errors, StringRef name, ShapeRef shape, ShapeRef expected) {
  if (fits(shape, expected))
    return success();
  return errors() << name << " has the shape " << textOf(shape) << ", must have " << textOf(expected);
}

LogicalResult checkNumber(ShapeErrors errors, StringRef name, int64_t value, int64_t least) {
  if (value >= least && value <= INT32_MAX)
    return success();
  return errors() << "'" << name << "' is " << value << ", must be " << least << " to " << INT32_MAX;
}

LogicalResult checkArray(ShapeErrors errors, StringRef name, ArrayRef<int64_t> values, size_t count, int64_t least) {
  if (values.size() != count)
    return errors() << "'" << name << "' has " << values.size() << " entries, must have " << count;
  for (int64_t value : values)
    if (value < least || value > INT32_MAX)
      return errors() << "'" << name << "' has the entry " << value << ", must be " << least << " to " << INT32_MAX;
  return success();
}

FailureOr<int64_t> windowsOf(const Axis &axis, ShapeErrors errors) {
  if (isOpen(axis.input) || isOpen(axis.kernel))
    return ShapedType::kDynamic;
  // Every figure is below 2^31, so no sum or product here exceeds 64 bits.
  const int64_t reach = firmware::windowReach(axis.kernel, axis.dilation);
  const int64_t padded = axis.input + axis.padBefore + axis.padAfter;
  if (reach > padded)
    return errors() << axis.name << " of the window is " << reach << ", more than the padded input's " << padded;
  return firmware::windowsIn(padded, axis.stride, reach);
}

} // namespace avocet::compiler::nn
