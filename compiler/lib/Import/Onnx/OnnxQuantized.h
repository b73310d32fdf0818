//===- OnnxQuantized.h - Integers with scales -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX has plain integers, and operands with their scale and zero point. The dialect has types with both. Values of
// quantised types exist only between the bitcasts of one node, so that a pass can join the nodes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H

#include "OnnxGraph.h"

namespace avocet::compiler {

/// Numbers of ONNX's types of 8 bits with one scale and zero point.
struct OnnxScale {
  float scale = 1;
  int64_t zeroPoint = 0;
};

/// A tensor of 8 bits with constant scales: one, or several along an axis with one zero point.
struct OnnxQuantized {
  mlir::Value value = {};
  mlir::SmallVector<float> scales = {1};
  int64_t zeroPoint = 0;

  OnnxScale scale() const { return {scales.front(), zeroPoint}; }
};

/// The integers of a constant operand; `otherwise` if it is omitted.
mlir::FailureOr<mlir::SmallVector<int64_t>> zeroPoints(OnnxOperation &op, uint32_t position,
                                                       mlir::ArrayRef<int64_t> otherwise = {0});
/// The same as one number; several must be equal.
mlir::FailureOr<int64_t> zeroPoint(OnnxOperation &op, uint32_t position);
/// The constant scale of an operand, which is a positive normal number.
mlir::FailureOr<OnnxScale> scaleAt(OnnxOperation &op, uint32_t scale, uint32_t zeroPoint);
/// A tensor of 8 bits, its scales and its zero point at three positions from `first` on. `severalScales`: along an
/// axis.
mlir::FailureOr<OnnxQuantized> quantizedAt(OnnxOperation &op, uint32_t first, bool severalScales = false);

/// The type of integers of 8 or 16 bits with a scale.
mlir::Type quantizedType(mlir::Type integer, const OnnxScale &scale);
/// The integers with a scale; null stays null.
mlir::Value asQuantized(OnnxOperation &op, mlir::Value value, const OnnxScale &scale);
/// The stored integers of a quantised value.
mlir::Value asStored(OnnxOperation &op, mlir::Value value);
/// The real numbers, f32.
mlir::Value dequantized(OnnxOperation &op, mlir::Value value, const OnnxScale &scale);
/// Integers of the type from real numbers, as ONNX rounds them.
mlir::Value quantized(OnnxOperation &op, mlir::Value real, mlir::Type integer, const OnnxScale &scale);

/// Sums of a layer, i32, times a factor each, one for all or for each element of the last axis, as integers of the
/// type.
mlir::Value rescaled(OnnxOperation &op, mlir::Value sums, mlir::ArrayRef<float> factors, mlir::Type integer,
                     const OnnxScale &scale);
/// The numerics of products with these factors; null after a refusal.
nn::NumericsAttr evenNumerics(OnnxOperation &op, mlir::ArrayRef<double> factors);

/// Scale and zero point, computed, of a tensor of f32, and its numbers of u8.
struct DynamicallyQuantized {
  mlir::Value values, scale, zeroPoint;
};
DynamicallyQuantized dynamicallyQuantized(OnnxOperation &op, mlir::Value x);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H
