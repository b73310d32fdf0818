//===- ChannelRescales.h - From quantised sums to results -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CHANNELRESCALES_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CHANNELRESCALES_H

#include "Placement.h"

namespace avocet::compiler {

/// Scale of a filter's output channel.
float scaleOf(mlir::quant::QuantizedType filter, size_t channel);

/// The multiplier of each output channel of a layer whose input, filter and result are quantised.
class ChannelRescales {
public:
  /// `floatScales`: multiply input and filter scale in float, as the reference always does for unsigned filters.
  ChannelRescales(const Quantization &input, mlir::quant::QuantizedType filter, const Quantization &output,
                  bool floatScales)
      : input_(input.scale), output_(output.scale), filter_(filter), floatScales_(floatScales || !filter.isSigned()) {}

  firmware::Rescale operator[](size_t channel) const;
  /// Number of distinct multipliers: 1, or one per output channel.
  size_t count() const;

private:
  float input_, output_;
  mlir::quant::QuantizedType filter_;
  bool floatScales_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CHANNELRESCALES_H
