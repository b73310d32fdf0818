//===- Reference.h - Formulas of TensorFlow Lite's reference ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference kernels compute where the installed library runs kernels that round otherwise
// (tensorflow/lite/kernels/internal/reference, kernels/kernel_util.cc). Written for clearness, and shares nothing with
// the compiler and its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_REFERENCE_H
#define AVOCET_TESTS_DIFFERENTIAL_REFERENCE_H

#include "Draft.h"

#include <array>
#include <functional>

namespace avocet::differential {

/// A real factor as mantissa * 2^(exponent - 31), the mantissa in [2^30, 2^31), or negative.
struct Multiplier {
  int64_t mantissa = 0;
  int exponent = 0;

  explicit Multiplier(double real);
};

/// Of 32-bit sums: the product is rounded at bit 31, halves upwards, then at the remaining shift, halves away from
/// zero.
int64_t timesNarrow(int64_t sum, const Multiplier &multiplier);

/// A tensor of a draft with its stored integers.
struct Stored {
  Shape shape;
  Element element;
  std::vector<int64_t> values;

  int64_t zeroPoint(int64_t channel = 0) const;
};

/// An input or a constant. Requires an integer type.
Stored storedOf(const Model &model, int32_t tensor);

/// How products of two quantized operands become results.
struct ProductScaling {
  Element input, weights, result;
  tflite::ActivationFunction activation = tflite::ActivationFunction::NONE;
  /// Whether the kernel has a multiplier for each channel, even if all weights have one scale.
  bool isPerChannel = false;

  /// The stored result of a sum of products. Sums of INT16 operands have 64 bits.
  int64_t finish(int64_t sum, size_t channel) const;
};

/// Height and width.
struct ConvGrid {
  std::array<int32_t, 2> padding, stride, dilation; ///< padding before the first element
};

/// CONV_2D: operands input, weights [channels, height, width, depth], bias.
Bytes expectedConv(const Model &model, const std::vector<int32_t> &operands, const Shape &result, const ConvGrid &grid,
                   const ProductScaling &scaling);
/// FULLY_CONNECTED: operands input, weights [channels, depth], bias.
Bytes expectedProduct(const Model &model, const std::vector<int32_t> &operands, const ProductScaling &scaling);
/// BATCH_MATMUL: operands [batch..., rows, depth] and [batch..., depth, columns], or with these two axes exchanged.
/// `result` is [batch..., rows, columns]; operands may lack its first axes or have the extent 1 there.
Bytes expectedMatmul(const Model &model, const std::vector<int32_t> &operands, const std::array<bool, 2> &transposed,
                     const Shape &result, const ProductScaling &scaling);

/// LOG_SOFTMAX of 8-bit numbers.
Bytes expectedLogSoftmax(const Model &model, int32_t operand, const Element &result);

/// A function of 16-bit numbers that is interpolated in a table (LUTPopulate and LUTLookup).
Bytes expectedTable(const Model &model, int32_t operand, const Element &result,
                    const std::function<float(float)> &function);

/// MEAN of a quantized operand; `isReduced` has an entry for each of its axes.
Bytes expectedMean(const Model &model, int32_t operand, const std::vector<bool> &isReduced, const Element &result);

/// SOFTMAX of 8-bit values.
Bytes expectedSoftmax(const Model &model, int32_t operand, float beta, const Element &result);

/// QUANTIZE of floats or of integers.
Bytes expectedQuantize(const Model &model, int32_t operand, const Element &result);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_REFERENCE_H
