//===- Views.h - Tensors inside others --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H

#include "Placement.h"
#include "avocet/kernels/dsp/Rearrange.h"

namespace avocet::compiler {

/// Strides of a dense tensor by axis, in elements.
mlir::SmallVector<int64_t> denseStrides(mlir::ArrayRef<int64_t> shape);

/// A move that copies a tensor of `shape`, number `input`, into one of `outer` shape, with its first element at
/// `position`.
kernels::Move placedAt(uint32_t input, mlir::ArrayRef<int64_t> shape, mlir::ArrayRef<int64_t> outer,
                       mlir::ArrayRef<int64_t> position);

/// Moves elements of the storage tensors `inputs` (one element type) into a new storage tensor with the shape of the
/// operation's result. Merges axes where possible. Refuses moves that do not fit the words of one command, and tensors
/// that do not fit into SRAM. `layer` as in Placement::Dsp. Runs row by row if elements stay in their rows: those of
/// the tensor that is moved or of the result, or of both in `rows` rows.
mlir::FailureOr<mlir::Value> placeRearrange(mlir::Operation *op, mlir::ValueRange inputs, StorageShape shape,
                                            kernels::RearrangeParameters parameters, Placement &placement,
                                            std::optional<uint32_t> layer = std::nullopt,
                                            std::optional<int64_t> rows = std::nullopt);

/// Whether the bytes are those of an input of the network.
bool isOfNetworkInput(mlir::Value storage);

/// Whether the array moves the storage element unchanged, also between tensors with gaps; the DSP needs dense tensors.
bool isMovedByArray(mlir::Type storageElement);

/// The same elements in memory of their own.
mlir::FailureOr<mlir::Value> placeCopy(mlir::Operation *op, mlir::Value storage, uint32_t layer, Placement &placement);
/// The same of a dense tensor in a shape of its bytes with many channels, since the array makes few channels in the
/// time of many. The result cannot be written in place into another tensor.
mlir::FailureOr<mlir::Value> placeCopyOfBytes(mlir::Operation *op, mlir::Value storage, uint32_t layer,
                                              Placement &placement);

/// The parts side by side along a storage axis. Operations write their results there; parts that are not results, or
/// that an operation can only access as dense tensors, are copied there. Null if copies would be no better than one
/// operation for all.
mlir::FailureOr<mlir::Value> placeJoin(mlir::Operation *op, llvm::ArrayRef<mlir::Value> parts, unsigned axis,
                                       Placement &placement);

/// Results of the array that nothing else reads, side by side along a storage axis or in turns; or joins of such.
/// Unlike the DSP, the array writes all its types at any distances.
mlir::FailureOr<mlir::Value> placeArrayResults(mlir::Operation *op, llvm::ArrayRef<mlir::Value> parts, unsigned axis,
                                               bool isInterleaved, Placement &placement);

/// A box of a storage tensor as a view, or every n-th column of one; null if its users would need a copy.
mlir::Value placePart(mlir::Operation *op, mlir::Value storage, StorageShape position, StorageShape shape,
                      Placement &placement, int64_t columnStep = 1);

/// The move of `storage`, with gaps, as moves of the rows of the tensor that contains it, so that nothing is copied
/// before. Null if `storage` is dense, or if elements leave their rows.
mlir::FailureOr<mlir::Value> placeRowsOfWhole(mlir::Operation *op, mlir::Value storage, StorageShape shape,
                                              const kernels::Move &move, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H
