//===- FixedLogarithm.h - The logarithm in fixed point ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_FIXEDLOGARITHM_H
#define AVOCET_KERNELS_LIB_COMMON_FIXEDLOGARITHM_H

#include <cstdint>

namespace avocet::kernels {

/// Natural logarithm in Q5.26 of a positive number in Q12.19 (FixedPoint.h), bit for bit that of TFLite's reference
/// kernels; less exact for numbers below 1.
int32_t fixedLogarithm(int32_t x);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_FIXEDLOGARITHM_H
