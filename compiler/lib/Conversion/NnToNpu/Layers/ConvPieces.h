//===- ConvPieces.h - Convolutions as several on the array ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution can be divided into several smaller ones that read parts of its input where they are, and write parts
// of its result in place: for each image of a batch, for each phase of rows and of columns, and for groups of channels.
//
// Phases: output positions y, y + n, y + 2n and so on read input positions that agree modulo the dilation d, so they
// are a convolution without dilation over every d-th row. With stride s and y * s - pad = d * e + f, output y + m * n
// reads the rows j = m * s' + k + e of those (f, f + d, ...) for the taps k, where n = d / gcd(s, d) and s' = s /
// gcd(s, d). A transposed convolution has one phase for each position modulo its stride: output y = q * s + r - pad
// reads the inputs q - j with the kernel positions r + s * j.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_CONVPIECES_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_CONVPIECES_H

#include "Layers/MacLayer.h"

namespace avocet::compiler {

/// More pieces would make the program too long.
inline constexpr uint32_t kMostPieces = 1024;

/// A convolution along one axis that computes some output positions of a larger one.
struct AxisPiece {
  int64_t first = 0, step = 1, extent = 0; ///< input positions that it reads: first, first + step and so on
  int64_t stride = 1, dilation = 1, padBefore = 0, padAfter = 0;
  int64_t firstTap = 0, tapStep = 1, taps = 1; ///< kernel positions in its order; those outside of the kernel are zeros
  int64_t outputs = 0;
};

/// Pieces of one axis; output i of piece p of n is output p + i * n.
using AxisPieces = mlir::SmallVector<AxisPiece>;

/// The whole axis as one piece.
AxisPieces wholeAxis(const ArrayAxis &axis);
/// The phases of a dilated axis. Empty if one would read nothing, the array cannot walk one, or there are too many.
AxisPieces dilationPhases(const ArrayAxis &axis);

/// An axis of a transposed convolution.
struct TransposedAxis {
  int64_t input, output, kernel, stride, padBefore;
};

/// The phases of an axis of a transposed convolution. Empty if the array cannot walk one, or there are too many.
AxisPieces transposedPhases(const TransposedAxis &axis);

/// How a layer is divided. A group reads its share of the input channels and makes its share of the output channels.
struct ConvDivision {
  AxisPieces rows, columns;
  int64_t images = 1, groups = 1;

  uint64_t pieces() const { return uint64_t(rows.size()) * columns.size() * images * groups; }
};

/// A layer whose filter is constant, and [outputs, height, width, channels of a group] if it has no order.
struct DividedConv {
  MacLayer whole; ///< its window, padding and shapes are not used
  ConvDivision division;
  std::array<size_t, 2> kernel = {1, 1}; ///< height and width of the filter
  /// Groups of the filter. A piece with several of them multiplies zeros between them.
  size_t filterGroups = 1;

  /// Sum of the cycles of all pieces as commands on the array; nullopt if the array cannot run one.
  std::optional<uint64_t> cycles(Placement &placement) const;
  /// Creates the pieces, or refuses them; returns the result.
  mlir::FailureOr<mlir::Value> create(Placement &placement) const;

private:
  /// Numbers of a piece.
  struct Number {
    int64_t image = 0, group = 0;
    size_t row = 0, column = 0;
  };
  MacLayer layerOf(const Number &number) const;
  FilterOrder orderOf(const Number &number) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_CONVPIECES_H
