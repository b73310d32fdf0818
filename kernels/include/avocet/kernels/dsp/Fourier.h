//===- Fourier.h - Spectra of lines -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "realFourier": the discrete Fourier transform of each pixel's channels, which are real numbers.
//
//   inputs[0]   f32 [height, width, extent]
//   inputs[1]   f32 [1, 1, points]: fourierFactors()
//   outputs[0]  f32 [height, width, points / 2 + 1]: the real part
//   outputs[1]  the same: the imaginary part
//
//   output[k] = sum of input[n] * exp(-2 pi i k n / points), for n below `points`
//
// An input with fewer channels counts as if zeros followed; channels from `points` on are not read. The other half of
// the spectrum, which is not made, has the conjugate numbers.
//
// The arithmetic is the transform of points / 2 complex numbers, whose real and imaginary parts are the even and odd
// channels, in place by radix 2 with decimation in time, in f32; then the spectra of both halves are separated. The
// factors are an operand, so that they are the same on all devices.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_FOURIER_H
#define AVOCET_KERNELS_DSP_FOURIER_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

inline constexpr KernelId kRealFourierKernel{"realFourier", 90};

struct RealFourierParameters {
  uint32_t points = 1; ///< a power of two, at most kMaxFourierPoints

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) { visit("points", self.points); }
};

inline constexpr uint32_t kMaxFourierPoints = 1u << 24;

/// Writes cos(2 pi k / points), then sin(2 pi k / points), for k below points / 2, where `points` is the size; one
/// point has the factor 1.
void fourierFactors(std::span<float> factors);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_FOURIER_H
