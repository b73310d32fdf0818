//===- IntegerGates.h - Fixed-point arithmetic of integer LSTMs -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_INTEGERGATES_H
#define AVOCET_KERNELS_LIB_COMMON_INTEGERGATES_H

#include "avocet/kernels/Quantization.h"
#include "common/FixedPoint.h"

#include "avocet/base/Status.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace avocet::kernels {

/// Formats that the parameters allow: gate sums Q3.12, cell states with 0 to 6 integer bits.
inline constexpr int kGateIntegerBits = 3;
inline constexpr int kMaxCellIntegerBits = 6;
inline constexpr int kMinCellExponent = -15;

/// The rescale by a real number; `what` names the scale in a refusal.
Result<firmware::Rescale> rescaleOf(double real, std::string_view what);

/// log2 of the cell scale. InvalidArgument unless it is a power of two in range.
Result<int32_t> cellExponentOf(float scale);

/// The stored form of a clip; 0 if there is none.
int32_t storedClip(float clip, float scale, float lowest, float highest);

/// Ok if the figures of a cell state are in range.
Status checkCellFormat(int32_t exponent, int32_t clip);

inline int16_t saturate16(int64_t value) {
  return static_cast<int16_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()));
}

/// A sum, which may have wrapped, at another scale.
inline int32_t scaled(uint32_t sum, const firmware::Rescale &rescale) {
  return multiplyByQuantizedMultiplier(static_cast<int32_t>(sum), rescale.multiplier, rescale.shift);
}

/// tanh of a number with `integerBits` integer bits, 0 to kMaxCellIntegerBits.
int16_t tanhOf(int integerBits, int16_t value);

/// The function of a gate: tanh of the cell gate, the logistic function of the others.
inline int16_t gateFunction(bool isCellGate, int16_t sum) {
  return isCellGate ? FixedPoint<int16_t>::tanh<kGateIntegerBits>(sum)
                    : FixedPoint<int16_t>::logistic<kGateIntegerBits>(sum);
}

/// forget * cell + input * update: products of Q0.15 values and of a Q0.15 value with a cell state, each brought back
/// to the cell's scale; then the clip, if there is one.
inline int16_t nextCell(int16_t forget, int16_t cell, int16_t input, int16_t update, int32_t exponent, int32_t clip) {
  auto kept = static_cast<int16_t>(roundingDivideByPowerOfTwo(int32_t(forget) * cell, 15));
  auto added = static_cast<int16_t>(roundingDivideByPowerOfTwo(int32_t(input) * update, 30 + exponent));
  int16_t next = saturate16(int32_t(kept) + added);
  return clip > 0 ? static_cast<int16_t>(std::clamp<int32_t>(next, -clip, clip)) : next;
}

/// output * tanh(cell) at the scale of the hidden state. The zero point is added, as the definition of quantization
/// says: TensorFlow Lite 2.9 subtracts it, which moves each hidden state by twice the zero point.
inline int8_t hiddenOf(int16_t output, int16_t cell, int32_t exponent, const firmware::Rescale &rescale,
                       int32_t zeroPoint) {
  const int32_t product = int32_t(output) * tanhOf(15 + exponent, cell);
  const int64_t hidden = multiplyByQuantizedMultiplier(product, rescale.multiplier, rescale.shift);
  return static_cast<int8_t>(std::clamp<int64_t>(hidden + zeroPoint, -128, 127));
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_INTEGERGATES_H
