//===- TfliteTypes.h - Tensor types of a TFLite file in MLIR ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITETYPES_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITETYPES_H

#include "TfliteFile.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace avocet::compiler {

/// "FLOAT32", or the number of a type that has no name.
std::string typeName(tflite::TensorType type);

/// A tensor's type in the nn dialect, or why it has none.
struct ConvertedType {
  mlir::RankedTensorType type; ///< null: see rule, value and limit
  std::string rule, value, limit;
};

/// Quantized types come from 8-bit and 16-bit integers with scales; 32-bit integers stay plain even with a scale (see
/// importTflite). Emits nothing.
ConvertedType convertType(mlir::MLIRContext *context, const TfliteFile &file, int32_t tensor);

/// The type of the real and of the imaginary part of a tensor of COMPLEX64.
ConvertedType convertPart(mlir::MLIRContext *context, const TfliteFile &file, int32_t tensor);

/// The same for tensors that only carry an element type, as a tensor of one element.
ConvertedType convertElement(mlir::MLIRContext *context, const TfliteFile &file, int32_t tensor);

/// Whether a tensor has an extent of 0 that is the same in all calls, and so no elements.
bool isEmpty(const TfliteFile &file, int32_t tensor);

/// The value of a half-precision number.
float floatOfHalf(uint16_t half);

/// The little-endian number of a numeric type; none if the bytes are not exactly one element.
std::optional<double> numberOf(mlir::ArrayRef<char> bytes, tflite::TensorType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITETYPES_H
