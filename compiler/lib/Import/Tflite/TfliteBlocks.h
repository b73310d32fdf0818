//===- TfliteBlocks.h - Constants with scales of blocks ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of language models have a scale for each block of 32 to 256 elements of a row. The type system of the dialect
// has scales of tensors and axes, so that such constants are the real numbers that they stand for, float32(integer) *
// float32(scale). The weight coder (firmware_iface/WeightStream.h) finds integers and scales again, and stores these.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEBLOCKS_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEBLOCKS_H

#include "TfliteTypes.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace avocet::compiler {

/// Whether the tensor has scales of blocks.
bool hasBlocks(const tflite::Tensor &tensor);

/// Tensors of f32 for those with scales of blocks, which must be constant. Emits nothing.
ConvertedType convertBlocks(mlir::MLIRContext *context, const TfliteFile &file, int32_t tensor);

/// The real numbers of a tensor that has the type by convertBlocks().
mlir::ElementsAttr realElements(const TfliteFile &file, int32_t tensor, mlir::RankedTensorType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEBLOCKS_H
