//===- Softmax.h - Softmax along the channels ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "softmax": output(y, x, c) = exp(beta * (input(y, x, c) - max over c)) / sum over c, for every pixel.
//
//   inputs[0]   i8, u8, i16 or f32
//   outputs[0]  the same type and shape; scale 1/256 and zero point -128 (i8) or 0 (u8), or any with a result factor;
//               scale 1/32768 and zero point 0 (i16); or i16 of an i8 input, with scale 1/65536 and zero point -32768
//
// 8-bit integers are computed in fixed point as in TFLite's reference kernel: differences to the maximum in Q5.26,
// exponentials in Q0.31, their sum in Q12.19. The reference does not define sums of 512 and more, for which every
// result rounds to 0: here it is 0, at any number of channels. A result factor, the reciprocal of the output's scale,
// multiplies the reciprocal of the sum; products with it are rounded once, halves to the even number.
// 16-bit integers: exp() of differences above -10 and 1 / (1 + x) are interpolated in tables of 513 entries; the sum
// saturates at 2^31 - 1.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SOFTMAX_H
#define AVOCET_KERNELS_DSP_SOFTMAX_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <array>
#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kSoftmaxKernel{"softmax", 1};

struct SoftmaxParameters {
  int32_t multiplier = 0; ///< beta * input scale in Q5.26 (i16: in steps of 10 / 65535), Q31 significand
  int32_t shift = 0;      ///< left shift of the multiplier, 0 to 31
  int32_t diffMin = 0;    ///< i8, u8: exp() of differences to the maximum below this one counts as 0; <= 0
  float beta = 1.0f;      ///< floats only
  /// i8 and u8 with results of the same type: the result factor as Q31 significand and shift to the left, -31 to 16,
  /// and the zero point of the results. Significand 0: none, with shift and zero point 0.
  int32_t resultMultiplier = 0, resultShift = 0, resultZero = 0;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
    visit("diffMin", self.diffMin);
    visit("beta", self.beta);
    visit("resultMultiplier", self.resultMultiplier);
    visit("resultShift", self.resultShift);
    visit("resultZero", self.resultZero);
  }
};

/// Parameters for 8-bit and 16-bit inputs of this scale.
SoftmaxParameters prepareSoftmax(float beta, float inputScale);
SoftmaxParameters prepareWideSoftmax(float beta, float inputScale);

/// exp() in Q0.31 of the differences -255 to 0 of 8-bit numbers to their maximum, in this order; 0 where it does not
/// count.
std::array<int32_t, 256> softmaxExponentials(const SoftmaxParameters &parameters);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SOFTMAX_H
