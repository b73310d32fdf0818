//===- Space.h - Space exchanged with depth or batches --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is a reshape that splits axes, a transpose, and a reshape that merges them. It returns null after a
// report, or if its input is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SPACE_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SPACE_H

#include "Moves.h"

namespace avocet::compiler {

/// Images in NHWC; malformed unless the block is 1 to 32767 and divides the image.
mlir::Value spaceToDepth(ImportedOperation &op, mlir::Value image, int64_t block);
mlir::Value depthToSpace(ImportedOperation &op, mlir::Value image, int64_t block);

/// The same of images in NCHW that blocks fill. `isInner`: the channels of a block are neighbors, not those of a
/// pixel.
mlir::Value spaceToDepthFirst(ImportedOperation &op, mlir::Value image, int64_t block);
mlir::Value depthToSpaceFirst(ImportedOperation &op, mlir::Value image, int64_t block, bool isInner);

/// The axes after the first one are divided into blocks, one extent for each axis, after padding or before cropping:
/// the input's batch is axis 0, and axes after the blocked ones are not affected.
mlir::Value spaceToBatch(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> paddings);
mlir::Value batchToSpace(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> crops);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SPACE_H
