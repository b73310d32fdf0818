//===- StoredNumbers.h - Integers with scales -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats with plain integers, whose scales and zero points are apart, while the dialect has types with both. Values of
// quantized types exist only between the bitcasts of one operation, so that a pass can join the operations.
//
// Functions that return a value return null after a report, or if an operand is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_STOREDNUMBERS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_STOREDNUMBERS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// What integers stand for.
struct Scale {
  float scale = 1;
  int64_t zeroPoint = 0;
};

/// The type of integers of 8 or 16 bits with a scale.
mlir::Type quantizedType(mlir::Type integer, const Scale &scale);
/// The integers with a scale; null stays null.
mlir::Value asQuantized(ImportedOperation &op, mlir::Value value, const Scale &scale);
/// The stored integers of a quantized value.
mlir::Value asStored(ImportedOperation &op, mlir::Value value);
/// The real numbers, f32.
mlir::Value dequantized(ImportedOperation &op, mlir::Value value, const Scale &scale);
/// Integers of the type from real numbers, as ONNX rounds them.
mlir::Value quantized(ImportedOperation &op, mlir::Value real, mlir::Type integer, const Scale &scale);

/// Sums of a layer, i32, times a factor each, one for all or for each element of the last axis, as integers of the
/// type.
mlir::Value rescaled(ImportedOperation &op, mlir::Value sums, mlir::ArrayRef<float> factors, mlir::Type integer,
                     const Scale &scale);
/// The numerics of products with these factors; null after a refusal.
nn::NumericsAttr evenNumerics(ImportedOperation &op, mlir::ArrayRef<double> factors);

/// Integers of 8 bits less a zero point, which is a constant or computed.
struct OffsetIntegers {
  mlir::Value value;
  int64_t zeroPoint = 0;
  mlir::Value computed = {}; ///< i32 of one element; null: the zero point is constant

  /// The sums i32 that a linear function makes of them: sums of numbers less a computed zero point are those of the
  /// numbers less it times those of ones.
  mlir::Value sums(ImportedOperation &op, llvm::function_ref<mlir::Value(mlir::Value)> function) const;
};

/// The product of quantized operands as NumPy has it; `last` makes the result of the sums i32.
mlir::Value quantizedMatMul(ImportedOperation &op, mlir::Value a, mlir::Value b, mlir::Value bias, bool transposeA,
                            bool transposeB, llvm::function_ref<mlir::Value(mlir::Value)> last);
/// The product of integers less zero points, of which `b` has one, or one for each column, i32.
mlir::Value integerMatMul(ImportedOperation &op, const OffsetIntegers &a, mlir::Value b, mlir::ArrayRef<int64_t> zeros);

/// Scale and zero point, computed, of a tensor of f32, and its numbers of u8.
struct DynamicallyQuantized {
  mlir::Value values, scale, zeroPoint;
};
DynamicallyQuantized dynamicallyQuantized(ImportedOperation &op, mlir::Value x);

/// Scales or zero points with a shape that broadcasts to that of `x`: one, one for each index of the axis, or one for
/// each block of elements along the axis; 0: no blocks.
mlir::Value spreadOver(ImportedOperation &op, mlir::Value numbers, mlir::Value x, int64_t axis, int64_t block);

/// Weights [N, K] of a few bits, in rows of blocks, each of which has a scale and begins with a whole byte.
struct PackedWeights {
  int64_t rows, columns, bits, block;
  mlir::ArrayRef<char> data = {}, packedZeros = {};
  mlir::SmallVector<float> scales = {}, zeros = {}; ///< without any zero points these are in the middle
  bool isSigned = false;                            ///< numbers in two's complement, whose zero points are 0

  int64_t blocks() const { return (columns + block - 1) / block; }
  int64_t zeroBytes() const { return (blocks() * bits + 7) / 8; } ///< of a row of packed zero points
  float at(int64_t row, int64_t column) const;
  /// The real numbers; the type has as many elements of f32.
  mlir::ElementsAttr elements(mlir::RankedTensorType type) const;
  /// The same as a constant; null after a report.
  mlir::Value real(ImportedOperation &op, llvm::StringRef operand) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_STOREDNUMBERS_H
