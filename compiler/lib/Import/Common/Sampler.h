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

enum class SampleKind { Nearest, Linear, Cubic };

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

  /// The elements that a sample at a place reads, also at a place outside.
  AxisTaps tapsOf(SampleKind kind, size_t axis, mlir::Value place);

  /// The elements of every combination of taps, times their weights, [N, points..., C]. The taps of all axes broadcast.
  /// `batches` is the image of each point, i32.
  mlir::SmallVector<mlir::Value> products(mlir::ArrayRef<AxisTaps> axes, mlir::Value batches);
  mlir::Value sum(mlir::ArrayRef<AxisTaps> axes, mlir::Value batches);

  /// The numbers of images for points of rank `rank`.
  mlir::Value ownImages(size_t rank);

private:
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

/// Samples of [N, C, axes...] at the places of a grid [N, ..., axes], in which -1 and 1 are the centers (`corners`) or
/// the outer edges of the outermost elements, and the last coordinate is that of the first axis. Null after a report.
mlir::Value gridSampled(ImportedOperation &op, mlir::Value input, mlir::Value grid, SampleKind kind, Outside outside,
                        bool corners);

/// The grid [N, extents..., axes] of affine functions [N, axes, axes + 1] of the places of such a grid. Null after a
/// report.
mlir::Value affineGrid(ImportedOperation &op, mlir::Value matrices, llvm::ArrayRef<int64_t> extents, bool corners);

/// Regions of images [N, C, height, width], each divided into bins with `ratio` samples along each axis.
struct AlignedRegions {
  mlir::Value regions; ///< f32 [regions, 4], left, top, right, bottom
  mlir::Value images;  ///< numbers of the regions' images, [regions]
  double scale;        ///< of the coordinates
  bool halfPixel;      ///< an element is half a pixel around its coordinate; else regions have a size of 1 at least
  int64_t bins[2];     ///< rows, columns
  int64_t ratio;
  bool greatest; ///< the bin has the greatest weighted element, not the mean of the samples

  /// f32 [regions, C, rows, columns]; null after a report.
  mlir::Value pooled(ImportedOperation &op, mlir::Value input) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SAMPLER_H
