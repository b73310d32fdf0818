//===- BenchModels.h - NNAPI models of realistic sizes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_HAL_BENCHMODELS_H
#define AVOCET_TESTS_BENCH_HAL_BENCHMODELS_H

#include "avocet/hal/types/Types.h"

namespace avocet::hal::bench {

/// MobileNet v1 of width 1.0 for images of 224 x 224, signed 8-bit, with noise for weights (4.2 MB, in a pool).
Model mobileNet();

/// `layers` fully connected layers of extent x extent weights, signed 8-bit (in a pool).
Model fullyConnectedChain(uint32_t layers, uint32_t extent);

/// Sum of two vectors of two floats: almost no work for the device.
Model smallSum();

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_HAL_BENCHMODELS_H
