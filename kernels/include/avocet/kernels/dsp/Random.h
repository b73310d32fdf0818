//===- Random.h - Random numbers ------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "randomMultinomial": random classes with given probabilities.
//
//   inputs   logits f32 or f16 [batch, classes], seeds i32 [1, 2]
//   outputs  i32 [batch, samples]
//
// A sample is the number of the first class at which the sum of exp(logit - largest logit) exceeds a random share of
// the whole sum; logits that are not finite count as probability 0. Random numbers come from Philox 4x32 with 10
// rounds: the first seed is the key, the second the upper half of the counter, and a sample takes 52 bits from two
// words, in the order of the result. Equal seeds give equal results.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_RANDOM_H
#define AVOCET_KERNELS_DSP_RANDOM_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kRandomMultinomialKernel{"randomMultinomial", 56};

struct RandomMultinomialParameters {
  uint32_t firstRow = 0; ///< of the whole result, of which a part of a command computes some rows

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("firstRow", self.firstRow);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_RANDOM_H
