//===- LayerNumerics.h - Multipliers of layers with weights -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERNUMERICS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERNUMERICS_H

#include "ExplicitNumerics.h"
#include "Storage.h"

#include "avocet/kernels/Quantization.h"

namespace avocet::compiler {

/// Scale of a filter's output channel.
float scaleOf(mlir::quant::QuantizedType filter, size_t channel);

/// How the multipliers of a layer follow from its types, or which they are.
struct LayerNumerics {
  /// Multiply input and filter scale in float, as the reference always does for unsigned filters.
  bool floatScales = false;
  nn::NumericsAttr explicitly = {}; ///< the multipliers; null: they follow from the scales

  firmware::Rounding rounding() const { return explicitly ? roundingOf(explicitly) : firmware::Rounding::Double; }
};

/// Those of a convolution or matrix product of the network.
LayerNumerics numericsOfLayer(mlir::Operation *layer);

/// The multiplier of each output channel of a layer whose input, filter and result are quantized.
class ChannelRescales {
public:
  ChannelRescales(const Quantization &input, mlir::quant::QuantizedType filter, const Quantization &output,
                  LayerNumerics numerics, bool hasWideSums)
      : input_(input.scale), output_(output.scale), filter_(filter), numerics_(numerics), hasWideSums_(hasWideSums) {}

  firmware::Rescale operator[](size_t channel) const;
  /// Number of distinct multipliers: 1, or one per output channel.
  size_t count() const;

private:
  float input_, output_;
  mlir::quant::QuantizedType filter_;
  LayerNumerics numerics_;
  bool hasWideSums_;
};

/// What sums, differences, products and means of quantized numbers are multiplied by.
kernels::AddRescales rescalesOfSum(nn::NumericsAttr numerics, mlir::Value lhs, mlir::Value rhs, mlir::Value result);
firmware::Rescale rescaleOfProduct(nn::MulOp op);
firmware::Rescale rescaleOfMean(nn::MeanOp op);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERNUMERICS_H
