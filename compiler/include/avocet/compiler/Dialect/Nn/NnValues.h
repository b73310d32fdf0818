//===- NnValues.h - Types of the values of a network ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For values that are ranked tensors, as all operands and results of operations of the dialect are.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNVALUES_H
#define AVOCET_COMPILER_DIALECT_NN_NNVALUES_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <algorithm>
#include <string>

namespace avocet::compiler {

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return tensorOf(value).getShape(); }

inline mlir::Type elementOf(mlir::Value value) { return tensorOf(value).getElementType(); }

/// Whether the stored integers represent real numbers.
inline bool isQuantized(mlir::Value value) { return mlir::isa<mlir::quant::QuantizedType>(elementOf(value)); }

/// Of one element in memory. Truth values and numbers of 4 bits take a whole byte.
inline int64_t bytesOf(mlir::Type element) {
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(element))
    element = quantized.getStorageType();
  return element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) / 8 : 1;
}

/// The name of an element type in the tables of operations (avocet/nnapi/NnOperations.inc): "f32", "i1", "uq8".
std::string nameOf(mlir::Type element);

/// The only scale of a quantized type.
inline float scaleOf(mlir::Type element) {
  return static_cast<float>(mlir::cast<mlir::quant::UniformQuantizedType>(element).getScale());
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_DIALECT_NN_NNVALUES_H
