//===- Normalize.h - Normalizations along one axis -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels that replace every line x of a tensor, seen as AxisExtents, by one of the same length. One input and one
// output of one type and shape. f32 and f16 are computed in f32 and rounded once.
//
//   softmaxNd          f32, f16, i8, u8   exp(beta * (x - max x)) / sum of these; integers as the kernel "softmax"
//   logSoftmax         f32, f16, i8, u8   beta * (x - max x) - log(sum of exp(beta * (x - max x)))
//   l2Normalize        f32, f16, i8, u8   x / max(sqrt(sum of x^2), 1e-6)
//   localResponse      f32, f16           x * (bias + alpha * sum of x^2 at most `radius` away) ^ -beta
//   instanceNormalize  f32, f16           (x - mean) / sqrt(variance + epsilon) * gamma + beta
//   rmsNormalize       f32, f16           x / sqrt(mean of x^2 + epsilon)
//
// Integers of l2Normalize have any input scale; the output's scale is 1/128 with zero point 0 (i8) or 128 (u8). The
// inverse square root of the exact sum of squares is computed in fixed point as in TFLite's reference kernel. The
// reference's sum has 32 bits; this one has 64, so that lines may have any length.
//
// Integers of logSoftmax: the output's scale is 1/16 with zero point 127 (i8) or 255 (u8). Differences to the maximum
// and the logarithm of the sum are in Q5.26, the exponentials and their sum those of the kernel "softmax". A difference
// that does not fit gives the smallest result. Sums of 4096 and more, which the reference does not define, count as
// 4096.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_NORMALIZE_H
#define AVOCET_KERNELS_DSP_NORMALIZE_H

#include "avocet/kernels/KernelId.h"
#include "avocet/kernels/dsp/AxisExtents.h"
#include "avocet/kernels/dsp/Softmax.h"

namespace avocet::kernels {

inline constexpr KernelId kSoftmaxNdKernel{"softmaxNd", 40};
inline constexpr KernelId kL2NormalizeKernel{"l2Normalize", 41};
inline constexpr KernelId kLocalResponseKernel{"localResponse", 42};
inline constexpr KernelId kInstanceNormalizeKernel{"instanceNormalize", 43};
inline constexpr KernelId kLogSoftmaxKernel{"logSoftmax", 47};
inline constexpr KernelId kRmsNormalizeKernel{"rmsNormalize", 48};

/// The kernels of this header.
inline constexpr KernelId kNormalizeKernels[] = {kSoftmaxNdKernel,         kL2NormalizeKernel, kLocalResponseKernel,
                                                 kInstanceNormalizeKernel, kLogSoftmaxKernel,  kRmsNormalizeKernel};

struct SoftmaxNdParameters {
  AxisExtents extents;
  SoftmaxParameters softmax;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    SoftmaxParameters::visitFields(self.softmax, visit);
  }
};

struct LogSoftmaxParameters {
  AxisExtents extents;
  float beta = 1; ///< finite; of integers times the scale of the input, and positive

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    visit("beta", self.beta);
  }
};

struct L2NormalizeParameters {
  AxisExtents extents;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
  }
};

struct LocalResponseParameters {
  AxisExtents extents;
  uint32_t radius = 0;
  float bias = 1, alpha = 1, beta = 1; ///< finite

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    visit("radius", self.radius);
    visit("bias", self.bias);
    visit("alpha", self.alpha);
    visit("beta", self.beta);
  }
};

struct InstanceNormalizeParameters {
  AxisExtents extents;
  float gamma = 1, beta = 0, epsilon = 0; ///< finite

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    visit("gamma", self.gamma);
    visit("beta", self.beta);
    visit("epsilon", self.epsilon);
  }
};

struct RmsNormalizeParameters {
  AxisExtents extents;
  float epsilon = 0; ///< finite, not negative

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    visit("epsilon", self.epsilon);
  }
};

/// Passes over a line before its results can be computed; 0: the kernel does not work in sections (AxisExtents.h).
constexpr uint32_t linePassesOf(KernelId kernel) {
  if (kernel == kSoftmaxNdKernel || kernel == kLogSoftmaxKernel || kernel == kInstanceNormalizeKernel)
    return 2;
  return kernel == kL2NormalizeKernel || kernel == kRmsNormalizeKernel ? 1 : 0;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_NORMALIZE_H
