//===- ExplicitNumerics.h - Multipliers of the network on the device ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device writes value * multiplier >> shift of the network as value * multiplier * 2^(31 - shift - 31), and
// products of 64-bit sums with 15 bits of the multiplier that are its high half.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_EXPLICITNUMERICS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_EXPLICITNUMERICS_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/firmware_iface/Command.h"

namespace avocet::compiler {

/// Multiplier `index`; any index if there is only one.
inline firmware::Rescale rescaleOf(nn::NumericsAttr numerics, size_t index, bool hasWideSums = false) {
  const size_t of = numerics.getMultipliers().size() == 1 ? 0 : index;
  const int32_t multiplier = numerics.getMultipliers()[of], shift = numerics.getShifts()[of];
  return hasWideSums ? firmware::Rescale{multiplier << 16, 15 - shift} : firmware::Rescale{multiplier, 31 - shift};
}

/// Kinds that are not explicit round twice.
inline firmware::Rounding roundingOf(nn::NumericsAttr numerics) {
  switch (numerics.getKind()) {
  case nn::Numerics::SingleRound:
    return firmware::Rounding::Single;
  case nn::Numerics::EvenRound:
    return firmware::Rounding::Even;
  default:
    return firmware::Rounding::Double;
  }
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_EXPLICITNUMERICS_H
