//===- Mean.h - Mean over rows, columns and channels ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "mean": the mean over those axes on which the output has extent 1 and the input a larger one.
//
//   inputs[0]   i8, u8, i16 or f32
//   outputs[0]  the same type; every extent is 1 or the input's
//
// Integers: the sum is exact (64 bits are narrowed to 32 as in the reference), then
// multiplyRounded(sum - count * input zero point, multiplier and shift, rounding) + output zero point, clamped to the
// type. multiplier and shift hold input scale / output scale / count; prepareMean gives them in the reference's order
// of roundings, which rounds twice. Floats: sum in the order rows, columns, channels, then one division.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_MEAN_H
#define AVOCET_KERNELS_DSP_MEAN_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kMeanKernel{"mean", 2};

struct MeanParameters {
  int32_t multiplier = 0; ///< integers only
  int32_t shift = 0;
  firmware::Rounding rounding = firmware::Rounding::Double; ///< of the product; Double for floats

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
    visit("rounding", self.rounding);
  }
};

/// count: elements per mean, at least 1.
MeanParameters prepareMean(float inputScale, float outputScale, uint64_t count);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_MEAN_H
