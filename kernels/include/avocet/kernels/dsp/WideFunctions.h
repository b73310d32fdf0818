//===- WideFunctions.h - Functions of 16-bit numbers ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "wideSigmoid"  output = logistic or hyperbolic tangent of the input, in Q0.15:
//   inputs[0]   i16, zero point 0
//   outputs[0]  i16 of the same shape, scale 1/32768, zero point 0
// The input is converted to steps of 1/12288 by `multiplier` and a right shift by `shift` with rounding. Its magnitude
// is interpolated in a table of logistic(i / 24), i = 0 to 255, as in TFLite's reference kernels; tanh(x) is
// 2 logistic(2x) - 1.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_WIDEFUNCTIONS_H
#define AVOCET_KERNELS_DSP_WIDEFUNCTIONS_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kWideSigmoidKernel{"wideSigmoid", 80};

/// Numbers are part of the command encoding: append only.
enum class WideSigmoidFunction : uint32_t { Logistic = 0, Tanh = 1 };

struct WideSigmoidParameters {
  WideSigmoidFunction function = WideSigmoidFunction::Logistic;
  uint32_t multiplier = 0; ///< below 2^31
  uint32_t shift = 0;      ///< at most 31

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("function", self.function);
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
  }
};

/// Parameters for inputs of this scale.
WideSigmoidParameters prepareWideSigmoid(WideSigmoidFunction function, float inputScale);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_WIDEFUNCTIONS_H
