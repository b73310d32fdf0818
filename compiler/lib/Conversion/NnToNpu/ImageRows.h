//===- ImageRows.h - Rows of operations of pixels ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_IMAGEROWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_IMAGEROWS_H

#include "Placement.h"
#include "Storage.h"

namespace avocet::compiler {

/// The shape in which an operation of elements, or of single pixels, computes a result of `shape`, so that stripes of
/// rows stay on chip from one operation to the next. Of one row of pixels: the rows in which an operand with the same
/// channels was made, else those of an image (rowsAsImage()), unless they are thin. Of several rows: those in which an
/// operand was made, if they are more; matrix products make such rows. Operands of another shape have one pixel, or one
/// row of as many pixels.
StorageShape shapeInRows(mlir::ValueRange operands, StorageShape shape, Placement &placement);

/// The storage with the pixels of `inRows`, which is shapeInRows() of `shape`; itself if its pixels are repeated.
mlir::Value viewInRows(mlir::Location location, mlir::Value storage, StorageShape shape, StorageShape inRows,
                       Placement &placement);

/// The first operand of an operation of elements or of single pixels, and the type of its result, in such rows.
struct InRows {
  mlir::Value input;
  mlir::RankedTensorType result;
};
InRows inRows(mlir::Operation *op, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_IMAGEROWS_H
