//===- Resampling.h - Interpolation along axes ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis is resampled by constants: each element of the result is a weighted sum of elements of the input.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H

#include "ImportedOperation.h"

#include <map>
#include <vector>

namespace avocet::compiler {

struct Tap {
  int64_t index; ///< inside of the input's axis
  float weight;
};

/// What each element of the result along an axis is made of: one tap or more, with different indices in ascending
/// order.
using Taps = std::vector<llvm::SmallVector<Tap, 4>>;

/// Whether each result is one element of the input, unchanged.
bool isSelection(const Taps &taps);

/// Resamples axis i by taps[i]; an axis without taps stays. nn.resize does it where it computes the same, a matrix
/// product or gathers elsewhere. Weights of i32 and i64 are whole numbers, and other elements than these and floats are
/// only selected. Null after a report.
mlir::Value resampled(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<Taps> taps);

struct ResizedAxis {
  int64_t in, out;
  float scale;
  float start = 0, end = 1; ///< of the region, as parts of the axis
};

/// Stretched axes get extents of their own; the others keep their ratio, and no axis is above or below its extent.
enum class Fit { Stretched, NotLarger, NotSmaller };
/// Gives the axes these extents.
void resizeTo(llvm::ArrayRef<ResizedAxis *> axes, llvm::ArrayRef<int64_t> extents, Fit fit);

/// How the place in the input follows from an element of the result.
struct Coordinates {
  llvm::StringLiteral name; ///< as ONNX writes it
  float (*place)(float x, const ResizedAxis &axis);
  bool countsElements; ///< of the result: the definition and ONNX Runtime differ if these are no multiple of the scale
  bool crops = false;  ///< the region counts, and places outside of the axis have no element
};
llvm::ArrayRef<Coordinates> allCoordinates();

/// The element at a place between two of them; `shrinks`: the result has fewer elements.
using Nearest = float (*)(float place, bool shrinks);
/// By the names of ONNX.
const std::map<llvm::StringRef, Nearest> &allNearest();

struct Interpolation {
  enum Kind { kNearest, kLinear, kCubic } kind;
  const Coordinates *coordinates;
  Nearest nearest;
  float cubic;             ///< the coefficient of the cubic function
  bool excludesOutside;    ///< only elements of the axis have weights, else the outermost ones count again
  bool antialiases;        ///< of a smaller result, more elements have weights
  float extrapolation = 0; ///< what stands for an element at a place without one

  Taps taps(const ResizedAxis &axis) const;
  /// The resized value, with the number in place of elements that come from outside of the input.
  mlir::Value extrapolated(ImportedOperation &op, mlir::Value resized, llvm::ArrayRef<ResizedAxis> axes) const;

private:
  double weightAt(double distance) const;
  float placeOf(const ResizedAxis &axis, int64_t x) const { return coordinates->place(static_cast<float>(x), axis); }
  llvm::SmallVector<Tap, 4> tapsAt(const ResizedAxis &axis, int64_t x) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H
