//===- Storage.h - Memory layout of a network's tensors ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STORAGE_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STORAGE_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/firmware_iface/Command.h"

#include <array>

namespace avocet::compiler {

/// [rows, width, channels] of a storage tensor.
using StorageShape = std::array<int64_t, 3>;

/// The last two axes stay, all others fold into the rows.
StorageShape storageShape(llvm::ArrayRef<int64_t> shape);

/// The storage tensor of a network's tensor.
mlir::RankedTensorType storageType(mlir::RankedTensorType type);
mlir::RankedTensorType storageType(StorageShape shape, mlir::Type element);

/// Of a storage tensor without gaps.
uint64_t storageBytes(mlir::RankedTensorType storage);
inline uint64_t storageBytes(mlir::Value storage) { return storageBytes(tensorOf(storage)); }

/// i8 for signed and plain 8-bit elements, ui8 for unsigned ones; floats and plain integers as they are.
mlir::Type storageElement(mlir::Type element);

/// The stored type and its quantization; floats, plain integers and truth values have scale 1 and zero point 0.
struct Quantization {
  firmware::DataType type = firmware::DataType::Float32;
  float scale = 1;
  int32_t zeroPoint = 0;
  bool keepsInfinities = false; ///< of floats (ProgramAttrs.h)
  bool isFloat() const { return firmware::isFloat(type); }
};

/// Quantization of a value between operations. Per-axis scales are not included.
Quantization quantizationOf(mlir::Value value);
inline float scaleOf(mlir::Value value) { return quantizationOf(value).scale; }

/// Stored bytes of a constant, row-major. Splats are expanded into `buffer`, which then owns the bytes.
llvm::ArrayRef<uint8_t> constantBytes(nn::ConstantOp op, std::vector<uint8_t> &buffer);

/// The clamp of a fused activation on a result.
firmware::Clamp clampFor(nn::Activation activation, const Quantization &result);
/// The same for an activation by itself, and for operations that have none: floats keep infinities.
firmware::Clamp plainClampFor(nn::Activation activation, const Quantization &result);

/// A dense map of a storage tensor, at address 0.
firmware::FeatureMap fullMap(mlir::RankedTensorType storage, int32_t zeroPoint);
inline firmware::FeatureMap fullMap(mlir::Value storage, int32_t zeroPoint) {
  return fullMap(tensorOf(storage), zeroPoint);
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STORAGE_H
