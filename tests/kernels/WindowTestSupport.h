//===- WindowTestSupport.h - Random operands of windows -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_WINDOWTESTSUPPORT_H
#define AVOCET_TESTS_KERNELS_WINDOWTESTSUPPORT_H

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"

namespace avocet::kernels {

inline uint32_t upTo(Random &random, int32_t most) { return static_cast<uint32_t>(pick(random, 1, most)); }

inline firmware::Clamp wholeRange(firmware::DataType type) {
  return firmware::isFloat(type) ? floatActivationClamp(Activation::kNone)
                                 : firmware::Clamp{minValue(type), maxValue(type)};
}

inline firmware::FeatureMap dense(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels,
                                  TestSram &sram, Random &random) {
  firmware::FeatureMap map = sram.map(type, height, width, channels, Placement::Dense, random);
  if (firmware::sizeOf(type) == 1)
    map.zeroPoint = pick(random, minValue(type), maxValue(type));
  sram.fill(map, random);
  return map;
}

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_WINDOWTESTSUPPORT_H
