//===- Sampler.h - Images at computed places --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SAMPLER_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SAMPLER_H

#include "Formula.h"

namespace avocet::compiler {

enum class Outside { Zero, Border, Mirror };

/// Elements along an axis that samples read: whole numbers of f32, with weights. Both have the shape of the points.
struct AxisTap {
  mlir::Value index, weight;
};
using AxisTaps = mlir::SmallVector<AxisTap, 4>;

/// Samples of images [N, spatial axes..., C] at points [N, ...].
class Sampler {
public:
  /// `mirrorsEdges`: mirrors are on the outer edges of the outermost elements, not on their centers.
  Sampler(ImportedOperation &op, mlir::Value images, Outside outside, bool mirrorsEdges = false);

  Formula &formula() { return f_; }
  /// Of a spatial axis.
  double extent(size_t axis) const { return static_cast<double>(shapeOf(images_)[axis + 1]); }

  /// A place on a spatial axis as one inside of it, where that does not change what is read.
  mlir::Value inside(size_t axis, mlir::Value place);

  AxisTaps nearest(size_t axis, mlir::Value place);
  AxisTaps linear(size_t axis, mlir::Value place);
  AxisTaps cubic(size_t axis, mlir::Value place);

  /// The elements of every combination of taps, times their weights, [N, points..., C]. The taps of all axes broadcast.
  /// `batches` is the image of each point, i32.
  mlir::SmallVector<mlir::Value> products(mlir::ArrayRef<AxisTaps> axes, mlir::Value batches);
  mlir::Value sum(mlir::ArrayRef<AxisTaps> axes, mlir::Value batches);

  /// The numbers of images for points of rank `rank`.
  mlir::Value ownImages(size_t rank);

private:
  mlir::Value withAxis(mlir::Value value);
  /// The slices at these coordinates, which broadcast.
  mlir::Value slicesAt(mlir::ArrayRef<mlir::Value> coordinates);
  mlir::Value clamped(size_t axis, mlir::Value place);
  mlir::Value mirrored(size_t axis, mlir::Value place);
  /// Makes every index one of an element; the weight of one outside becomes 0.
  AxisTaps taps(size_t axis, AxisTaps taps);

  ImportedOperation &op_;
  mlir::Value images_;
  Formula f_;
  Outside outside_;
  bool mirrorsEdges_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SAMPLER_H
