//===- Groups.h - Operations between conversions ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is what computes the floats that an operation quantizes, from floats that other operations dequantize: one
// operation and the clamps after it. Each fusion looks at the groups of its kinds of operations.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_GROUPS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_GROUPS_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/IR/PatternMatch.h"

#include <limits>
#include <optional>

namespace avocet::compiler::nn {

inline constexpr llvm::StringLiteral kQuantizationRemark = "quantization";

struct Group {
  QuantizeOp last;
  mlir::Operation *op = nullptr; ///< null: an argument of the network is quantized, or the range is empty
  Activation range = {};         ///< of the operation and of the clamps

  mlir::quant::UniformQuantizedType result() const {
    return mlir::cast<mlir::quant::UniformQuantizedType>(elementOf(QuantizeOp(last).getOutput()));
  }
  mlir::RankedTensorType resultType() const { return tensorOf(QuantizeOp(last).getOutput()); }
  mlir::Location location() const;
};

/// Whether the operation quantizes f32 as ONNX does.
bool roundsToEven(QuantizeOp op);

/// Clamps that something else reads are no part of the group.
Group groupBefore(QuantizeOp last);

/// The 8-bit numbers that are dequantized to this value; null: they are none, or of another width.
mlir::Value bytesBehind(mlir::Value real);

/// These, or signed 16-bit numbers with zero point 0.
mlir::Value integersBehind(mlir::Value real);

inline mlir::quant::UniformQuantizedType typeOfBytes(mlir::Value bytes) {
  return mlir::cast<mlir::quant::UniformQuantizedType>(elementOf(bytes));
}
inline bool hasEightBits(mlir::quant::QuantizedType type) { return type.getStorageTypeIntegralWidth() == 8; }
inline bool isSymmetric(mlir::quant::UniformQuantizedType type) { return type.isSigned() && type.getZeroPoint() == 0; }

/// Replaces the group by an operation on integers, for which others look at its operation. Nullopt: it has no form of
/// this kind of operation. Else why it did not, or an empty text.
using GroupFusion = std::optional<llvm::StringRef> (*)(const Group &group, mlir::RewriterBase &rewriter);

/// A layer whose weights are dequantized constants, or a product of two values.
std::optional<llvm::StringRef> fuseQuantizedLayer(const Group &group, mlir::RewriterBase &rewriter);
/// A sum, a difference or a product of two values, or a rectifier with slopes.
std::optional<llvm::StringRef> fuseQuantizedPair(const Group &group, mlir::RewriterBase &rewriter);
/// A mean or a sum of axes, or a mean of windows.
std::optional<llvm::StringRef> fuseQuantizedMean(const Group &group, mlir::RewriterBase &rewriter);
std::optional<llvm::StringRef> fuseQuantizedSoftmax(const Group &group, mlir::RewriterBase &rewriter);
/// Any function of one value's elements, also of several operations.
std::optional<llvm::StringRef> fuseQuantizedFunction(const Group &group, mlir::RewriterBase &rewriter);

/// A layer whose operands are dequantized, and whose result is not quantized: sums of integers. Fails for others, and
/// for those of so few products that floats cost as little.
llvm::LogicalResult sumOnIntegers(mlir::Operation *op, mlir::RewriterBase &rewriter);

/// Whether the device holds a number of this magnitude before it saturates it. It keeps 32 bits of a product.
inline bool isHeld(double magnitude) { return magnitude <= std::numeric_limits<int32_t>::max(); }

/// The largest distance of a number from its zero point.
inline double mostMagnitude(mlir::quant::UniformQuantizedType type) { return hasEightBits(type) ? 255 : 32768; }

/// The same numbers with signed or unsigned bytes.
mlir::Value withSignedness(mlir::Value bytes, bool isSigned, mlir::Location loc, mlir::RewriterBase &rewriter);

/// The clamp of the group after an operation that has none of its own; the operation if the group has no clamp.
mlir::Operation *clampedResult(const Group &group, mlir::Operation *integers, mlir::RewriterBase &rewriter);

/// Notes that the integers are what replaces the group, and does so.
void replaceGroup(const Group &group, mlir::Operation *integers, mlir::RewriterBase &rewriter);

/// Moves of elements work on numbers before they are dequantized, or after they are quantized.
void addQuantizedMovePatterns(mlir::RewritePatternSet &patterns);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_GROUPS_H
