//===- WideSigmoid.h - Logistic and tanh of 16-bit numbers ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WIDE_WIDESIGMOID_H
#define AVOCET_KERNELS_LIB_WIDE_WIDESIGMOID_H

#include "avocet/kernels/dsp/WideFunctions.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace avocet::kernels {

/// Both functions are interpolated in a table of the logistic function, for magnitudes in steps of 1/12288.
struct SigmoidForm {
  int bits;       ///< of a magnitude between two entries
  int32_t beyond; ///< the interpolation after the last entry
  int32_t offset; ///< subtracted from an interpolation
  int32_t mirror; ///< minus the result, for negative numbers
  int scaleBits;  ///< of the result
};

inline SigmoidForm formOf(const WideSigmoidParameters &parameters) {
  if (parameters.function == WideSigmoidFunction::Tanh)
    return {8, 0xFFFF << 8, 1 << 23, 0, 8};
  return {9, 0x7FFF << 10, 0, 1 << 25, 10};
}

using SigmoidTable = std::array<uint16_t, 256>;

/// The plain form.
int16_t wideSigmoid(const WideSigmoidParameters &parameters, int16_t value);

/// The same for each number of a row.
void wideSigmoidRow(const WideSigmoidParameters &parameters, const int16_t *input, int16_t *output, size_t count);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WIDE_WIDESIGMOID_H
