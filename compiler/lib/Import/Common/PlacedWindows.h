//===- PlacedWindows.h - Windows at places of their own ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions return null after a report.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_PLACEDWINDOWS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_PLACEDWINDOWS_H

#include "Window.h"

namespace avocet::compiler {

/// A convolution whose windows read at computed places. All values are f32.
struct DeformedConv {
  mlir::Value input, filter; ///< [N, C, H, W], [O, C / groups, ...]
  mlir::Value offsets;       ///< of each element of each window, [N, parts * elements * 2, rows, columns]
  mlir::Value bias, mask;    ///< [O], factors [N, parts * elements, rows, columns]; may be null
  SpatialWindow window;
  int64_t groups, parts; ///< of the channels, which share filters and offsets

  int64_t rows() const { return window.results(0, shapeOf(input)[2]); }
  int64_t columns() const { return window.results(1, shapeOf(input)[3]); }
  int64_t elements() const { return window.kernel[0] * window.kernel[1]; }

  /// [N, O, rows, columns]
  mlir::Value result(ImportedOperation &op) const;

private:
  mlir::Value windowsOf(ImportedOperation &op, int64_t part) const;
  mlir::Value product(ImportedOperation &op, mlir::Value windows, int64_t group) const;
};

/// Adds blocks [N, C * elements of a block, blocks] into images [N, C, extents...], where padding is left out. The
/// numbers of blocks must be those of the window.
mlir::Value imagesOfBlocks(ImportedOperation &op, mlir::Value blocks, llvm::ArrayRef<int64_t> extents,
                           const SpatialWindow &window);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_PLACEDWINDOWS_H
