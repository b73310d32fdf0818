//===- InverseSquareRoot.h - 1 / sqrt(x) in fixed point --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_INVERSESQUAREROOT_H
#define AVOCET_KERNELS_INVERSESQUAREROOT_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>

namespace avocet::kernels {

/// 1 / sqrt(x) as a multiplier with a shift from -31 to 0, by the five Newton-Raphson steps of TFLite's reference
/// kernels, bit for bit. Numbers up to 1 count as 1.
firmware::Rescale inverseSquareRoot(int64_t x);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_INVERSESQUAREROOT_H
