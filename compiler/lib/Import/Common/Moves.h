//===- Moves.h - Operations that move elements ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation of a model is often a chain of operations in the nn dialect. Each function here that returns a value
// creates one of them, or a short chain, and infers its shape. It returns null after a refusal if a shape on the way is
// not one of the dialect, or if its input is null.
//
// Converters of operations whose operands have the same positions in all formats, and the common parts of the others.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVES_H

#include "ImportedOperation.h"

#include <optional>

namespace avocet::compiler {

/// The type of result `position` for elements of `input` with shape `shape`. Malformed if the model declares another
/// element type: moving changes neither type nor scale.
mlir::RankedTensorType movedType(ImportedOperation &op, uint32_t position, mlir::Value input,
                                 llvm::ArrayRef<int64_t> shape);

/// Binds a value as a result, if the model declares its type.
mlir::LogicalResult finishMoved(ImportedOperation &op, mlir::Value input, mlir::Value moved, uint32_t position = 0);

mlir::Value reshape(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> shape);

/// `extents` elements along each axis, `strides` apart (1 if empty), from `begin`. All must be inside the input.
mlir::Value slice(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> begin,
                  llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> strides = {});

/// The elements in opposite order along each of the axes.
mlir::Value reverse(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> axes);

/// Axis i of the result is axis permutation[i] of the value, which must be a permutation of its axes.
mlir::Value transpose(ImportedOperation &op, mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// The axis at another place, and the others in their order.
mlir::Value moveAxis(ImportedOperation &op, mlir::Value value, size_t from, size_t to);

/// Concatenates values of one element type that differ only in the extent of the axis.
mlir::Value concatenate(ImportedOperation &op, mlir::ValueRange inputs, int64_t axis);

/// For each index of a batch, which has `width` coordinates, the coordinates [batch, index] of a slice, so that the
/// device checks each index against the extent of its axis, and none reaches another batch: i32 [batches, indices,
/// 1 + width].
mlir::Value coordinatesOf(ImportedOperation &op, mlir::Value indices, int64_t batches, int64_t width = 1);
/// The same for any numbers of batches, of which each counts for as many indices.
mlir::Value coordinatesIn(ImportedOperation &op, mlir::Value indices, llvm::ArrayRef<int32_t> batches,
                          int64_t width = 1);

/// The value with the axis last and all others as one: [rows, extent].
mlir::Value asRows(ImportedOperation &op, mlir::Value value, int64_t axis);
/// What `asRows` makes of a value of this shape as such a value again.
mlir::Value fromRows(ImportedOperation &op, mlir::Value rows, llvm::ArrayRef<int64_t> shape, int64_t axis);
/// For each index along the axis, the coordinates of its element in the rows of a tensor of shape `whole`, whose other
/// extents may be greater than those of the indices.
mlir::Value elementCoordinates(ImportedOperation &op, mlir::Value indices, llvm::ArrayRef<int64_t> whole, int64_t axis);

/// Repeats the input along each axis; all multiples are positive.
mlir::Value tile(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> multiples);

/// The input with the shape, to which it must broadcast as in NumPy; the input itself if it has this shape.
mlir::Value broadcastTo(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> shape);

/// Amounts before and after each axis, not negative.
struct Amounts {
  mlir::SmallVector<int64_t> low, high;
};

/// Pads the input with zero, or with `value` as in nn.pad.
mlir::Value pad(ImportedOperation &op, mlir::Value input, const Amounts &amounts, std::optional<double> value = {});

/// Pads with mirrored parts of the input, without (1) or with (0) the outermost elements `skipped`.
mlir::Value mirrorPad(ImportedOperation &op, mlir::Value input, const Amounts &amounts, int64_t skipped);

/// Input, begin, size; a size of -1 means all elements from the beginning on.
mlir::LogicalResult convertSlice(ImportedOperation &op);
/// Input, multiples.
mlir::LogicalResult convertTile(ImportedOperation &op);
/// Input, paddings.
mlir::LogicalResult convertPad(ImportedOperation &op);
/// The same, with the value of the new elements as in nn.pad.
mlir::LogicalResult finishPad(ImportedOperation &op, std::optional<double> value = {});
/// The same with mirrored parts of the input, without (0) or with (1) a copy of the outermost element.
mlir::LogicalResult finishMirrorPad(ImportedOperation &op, int64_t mode);
/// Input, permutation; without a permutation the axes are reversed.
mlir::LogicalResult convertTranspose(ImportedOperation &op);
/// Input, position of the new axis.
mlir::LogicalResult convertExpandDims(ImportedOperation &op);
/// Dimensions, value: repeats the value for each element.
mlir::LogicalResult convertFill(ImportedOperation &op);

/// The input with another shape, of which one extent may be -1: it follows from the others.
mlir::LogicalResult finishReshape(ImportedOperation &op, mlir::Value input, mlir::SmallVector<int64_t> shape);
/// The shape without these axes, which must have the extent 1; without all such axes if none are given.
mlir::FailureOr<mlir::SmallVector<int64_t>> squeezedShape(ImportedOperation &op, llvm::ArrayRef<int64_t> shape,
                                                          std::optional<llvm::ArrayRef<int64_t>> axes);
/// The results are equal parts along an axis; input and axis are operands at these positions.
mlir::LogicalResult finishEqualSplit(ImportedOperation &op, uint32_t input, uint32_t axis, int64_t parts);
/// The results are parts of the input with these extents along the axis.
mlir::LogicalResult finishSplit(ImportedOperation &op, mlir::Value input, int64_t axis,
                                llvm::ArrayRef<int64_t> extents);
/// The operands from `first` on as one tensor with a new axis.
mlir::LogicalResult finishPack(ImportedOperation &op, uint32_t first, int64_t axis);

/// Ranges of elements for each axis of a tensor. The masks have a bit for each axis: begin or end are ignored and the
/// range starts or ends with the axis; the axis is removed.
struct StridedSlice {
  mlir::SmallVector<int64_t> begin, end, strides;
  int64_t beginMask, endMask, shrinkMask;
};

/// The first element of a range. Negative positions count from the end; the result is clamped to the axis.
int64_t firstOf(const StridedSlice &slice, size_t axis, int64_t extent);
/// The extents of the ranges in a tensor of this shape; 0 where a range has no elements.
mlir::FailureOr<mlir::SmallVector<int64_t>> rangesOf(ImportedOperation &op, llvm::ArrayRef<int64_t> shape,
                                                     const StridedSlice &slice);
/// If the slice removes all axes, `leastRank` of extent 1 remain.
mlir::LogicalResult finishStridedSlice(ImportedOperation &op, mlir::Value input, const StridedSlice &slice,
                                       size_t leastRank);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVES_H
