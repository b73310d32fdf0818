//===- IntegerGates.cpp - Fixed-point arithmetic of integer LSTMs ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/IntegerGates.h"

#include "common/Checks.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace avocet::kernels {

using namespace firmware;
using Fixed = FixedPoint<int16_t>;

Result<Rescale> rescaleOf(double real, std::string_view what) {
  if (!isValidMultiplier(real))
    return invalidArgument("integerLstm: the scale of " + std::string(what) + " is out of range");
  return quantizeMultiplier(real);
}

Result<int32_t> cellExponentOf(float scale) {
  const std::optional<int> exponent = scaleExponent(scale);
  if (!exponent || *exponent < kMinCellExponent || *exponent > kMinCellExponent + kMaxCellIntegerBits)
    return invalidArgument("integerLstm: the cell state's scale must be a power of two from 2^-15 to 2^-9");
  return *exponent;
}

int32_t storedClip(float clip, float scale, float lowest, float highest) {
  return clip > 0 ? static_cast<int32_t>(std::clamp(clip / scale, lowest, highest)) : 0;
}

Status checkCellFormat(int32_t exponent, int32_t clip) {
  if (exponent < kMinCellExponent || exponent > kMinCellExponent + kMaxCellIntegerBits)
    return ruleBroken("cellExponent", exponent, "-15 to -9");
  if (clip < 0 || clip > 32767)
    return ruleBroken("cellClip", clip, "0 to 32767");
  return Status::ok();
}

template <int... bits> static constexpr auto makeTanhTable(std::integer_sequence<int, bits...>) {
  return std::array<int16_t (*)(int16_t), sizeof...(bits)>{&Fixed::tanh<bits>...};
}
static constexpr auto kTanh = makeTanhTable(std::make_integer_sequence<int, kMaxCellIntegerBits + 1>());

int16_t tanhOf(int integerBits, int16_t value) { return kTanh[static_cast<size_t>(integerBits)](value); }

} // namespace avocet::kernels
