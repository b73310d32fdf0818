//===- Selection.h - Moving elements with the array -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SELECTION_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SELECTION_H

#include "Placement.h"

#include "avocet/firmware_iface/WeightLayout.h"

namespace avocet::compiler {

/// Whether selections support the element type: 8-bit quantised numbers. Among floats an infinity times 0 would turn
/// its neighbours into NaN.
bool isSelectable(mlir::Type element);

/// A convolution that only moves elements: each output channel has at most one weight that is 1, all others are 0, and
/// the output stage multiplies by 1. Exact for all stored values; where no weight is 1, and in the padding, the result
/// is the real number zero.
struct Selection {
  firmware::ConvKind kind = firmware::ConvKind::Dense;
  firmware::WeightDims dims = {};
  firmware::Window window = {};
  uint32_t padBottom = 0, padRight = 0;
  StorageShape outputShape = {};
  /// Whether a weight is 1. `product` counts within one output channel as in WeightLayout::indexOf.
  std::function<bool(uint32_t channel, uint32_t product)> isOne;
};

/// The selected elements of `storage`; the result has the same quantisation.
mlir::FailureOr<mlir::Value> placeSelection(mlir::Operation *op, mlir::Value storage, const Quantization &quantization,
                                            const Selection &selection, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SELECTION_H
