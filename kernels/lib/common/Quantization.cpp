//===- Quantization.cpp - Fixed-point scaling as TFLite does it -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"

#include "avocet/kernels/Activation.h"
#include "common/Rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using firmware::Clamp;
using firmware::DataType;
using firmware::Rescale;

Rescale quantizeMultiplier(double real) {
  constexpr Rescale kSaturating{std::numeric_limits<int32_t>::max(), kSaturatingShift};
  if (!(real > 0))
    return {0, 0};
  if (std::isinf(real))
    return kSaturating;
  int shift = 0;
  double significand = std::frexp(real, &shift);
  auto fixed = static_cast<int64_t>(std::round(significand * 2147483648.0));
  if (fixed == int64_t(1) << 31) {
    fixed /= 2;
    ++shift;
  }
  // All bits would be shifted out, and the device has no shift beyond 31.
  if (shift < kLeastShift)
    return {0, 0};
  if (shift >= kSaturatingShift)
    return kSaturating;
  return {static_cast<int32_t>(fixed), shift};
}

bool isValidMultiplier(double real) {
  // Fast path: nearly all numbers are valid, and the rest of the function is slow.
  if (real >= 0 && real < double(1 << 29))
    return true;
  return real >= 0 && quantizeMultiplier(real).shift < kSaturatingShift;
}

std::optional<int> scaleExponent(float scale) {
  // Both the product with the inverse and the limit are the reference's.
  constexpr float kLimit = 1e-3f;
  const float exponent = std::log(scale) * (1.0f / std::log(2.0f)), nearest = std::round(exponent);
  if (!(std::abs(exponent - nearest) < kLimit))
    return std::nullopt;
  return static_cast<int>(nearest);
}

int32_t minValue(DataType type) {
  switch (type) {
  case DataType::Int8:
    return std::numeric_limits<int8_t>::min();
  case DataType::Int16:
    return std::numeric_limits<int16_t>::min();
  case DataType::Int32:
  case DataType::Int64:
    return std::numeric_limits<int32_t>::min();
  default:
    return 0;
  }
}

int32_t maxValue(DataType type) {
  switch (type) {
  case DataType::Int8:
    return std::numeric_limits<int8_t>::max();
  case DataType::UInt8:
    return std::numeric_limits<uint8_t>::max();
  case DataType::Int16:
    return std::numeric_limits<int16_t>::max();
  case DataType::UInt16:
    return std::numeric_limits<uint16_t>::max();
  case DataType::Bool8:
    return 1;
  default:
    return std::numeric_limits<int32_t>::max();
  }
}

Clamp quantizedActivationClamp(Activation activation, DataType type, float scale, int32_t zeroPoint) {
  auto quantize = [&](float real, int32_t unbounded) {
    if (std::isinf(real))
      return unbounded;
    float steps = std::clamp(std::round(real / scale), -1.0e9f, 1.0e9f);
    return std::clamp(zeroPoint + static_cast<int32_t>(steps), minValue(type), maxValue(type));
  };
  return {quantize(activation.low, minValue(type)), quantize(activation.high, maxValue(type))};
}

Clamp floatActivationClamp(Activation activation) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return plainActivationClamp({std::max(activation.low, -kLargest), std::min(activation.high, kLargest)});
}

Clamp plainActivationClamp(Activation activation) {
  return {std::bit_cast<int32_t>(activation.low), std::bit_cast<int32_t>(activation.high)};
}

AddRescales prepareAdd(DataType type, float scaleA, float scaleB, float scaleOutput) {
  AddRescales rescales;
  rescales.leftShift = type == DataType::Int16 ? 15 : 20;
  const double twiceLargest = 2 * std::max(scaleA, scaleB);
  rescales.inputA = quantizeMultiplier(scaleA / twiceLargest);
  rescales.inputB = quantizeMultiplier(scaleB / twiceLargest);
  rescales.output = quantizeMultiplier(twiceLargest / (static_cast<float>(1 << rescales.leftShift) * scaleOutput));
  return rescales;
}

AddRescales prepareSquaredDifference(float scaleA, float scaleB, float scaleOutput) {
  AddRescales rescales;
  rescales.leftShift = 7;
  const double twiceLargest = 2 * std::max(scaleA, scaleB);
  rescales.inputA = quantizeMultiplier(scaleA / twiceLargest);
  rescales.inputB = quantizeMultiplier(scaleB / twiceLargest);
  const float step = static_cast<float>(1 << (2 * rescales.leftShift)) * scaleOutput;
  rescales.output = quantizeMultiplier(twiceLargest * twiceLargest / step);
  return rescales;
}

AddRescales prepareShiftedAdd(float scaleA, float scaleB, float scaleOutput) {
  AddRescales rescales;
  // The left shift makes the product with 1/2 exact, so that only the shift right rounds.
  rescales.leftShift = 15;
  auto shifted = [&](float scale) {
    // The device shifts by 31 at most; 16-bit numbers are 0 by then.
    int shift = std::max(scaleExponent(scale).value_or(0) - scaleExponent(scaleOutput).value_or(0), -17);
    return Rescale{1 << 30, shift - 14};
  };
  rescales.inputA = shifted(scaleA);
  rescales.inputB = shifted(scaleB);
  rescales.output = {1 << 30, 1};
  return rescales;
}

Rescale prepareMul(float scaleA, float scaleB, float scaleOutput) {
  return quantizeMultiplier(scaleA * scaleB / scaleOutput);
}

Rescale prepareConvPerChannel(float inputScale, float weightScale, float outputScale) {
  return quantizeMultiplier(double(inputScale) * double(weightScale) / double(outputScale));
}

Rescale prepareConvPerTensor(float inputScale, float weightScale, float outputScale) {
  return quantizeMultiplier(double(inputScale * weightScale) / double(outputScale));
}

Rescale prepareRequantize(float inputScale, float outputScale) {
  return quantizeMultiplier(double(inputScale) / double(outputScale));
}

Rescale reducedToWide(const Rescale &factor) {
  const WideMultiplier wide(factor.multiplier, factor.shift);
  return {static_cast<int32_t>(wide.multiplier), 15 - wide.shift};
}

int32_t saturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  int64_t product = int64_t(a) * b;
  int64_t nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t(1) << 31));
}

int32_t roundingDivideByPowerOfTwo(int32_t x, int exponent) {
  int32_t mask = static_cast<int32_t>((int64_t(1) << exponent) - 1);
  int32_t remainder = x & mask;
  int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/// The product of which only the sign counts.
static int32_t saturatedProduct(int64_t x, int32_t multiplier) {
  if (x == 0 || multiplier == 0)
    return 0;
  return (x < 0) == (multiplier < 0) ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int32_t>::min();
}

int32_t multiplyByQuantizedMultiplier(int32_t x, int32_t multiplier, int shift) {
  if (shift >= kSaturatingShift)
    return saturatedProduct(x, multiplier);
  // Records come from memory: the result is defined for any contents.
  int left = std::max(shift, 0);
  int right = std::clamp(-std::max(shift, kLeastShift), 0, 31);
  auto shifted = static_cast<int32_t>(static_cast<uint32_t>(x) << left);
  return roundingDivideByPowerOfTwo(saturatingRoundingDoublingHighMul(shifted, multiplier), right);
}

int32_t multiplyRoundedOnce(int32_t x, int32_t multiplier, int shift) {
  if (shift >= kSaturatingShift)
    return saturatedProduct(x, multiplier);
  const int right = 31 - std::max(shift, kLeastShift);
  return static_cast<int32_t>((int64_t(x) * multiplier + (int64_t(1) << (right - 1))) >> right);
}

int32_t multiplyRoundedToEven(int32_t x, int32_t multiplier, int shift) {
  if (shift >= kSaturatingShift)
    return saturatedProduct(x, multiplier);
  const int right = 31 - std::max(shift, kLeastShift);
  const int64_t product = int64_t(x) * multiplier;
  return static_cast<int32_t>((product + (int64_t(1) << (right - 1)) - 1 + (product >> right & 1)) >> right);
}

int32_t multiplyByQuantizedMultiplier64(int64_t x, int32_t multiplier, int shift) {
  if (shift >= kSaturatingWideShift)
    return saturatedProduct(x, multiplier);
  const WideMultiplier wide(multiplier, shift);
  auto product = static_cast<uint64_t>(x) * static_cast<uint64_t>(wide.multiplier) + (uint64_t(1) << (wide.shift - 1));
  return static_cast<int32_t>(static_cast<int64_t>(product) >> wide.shift);
}

} // namespace avocet::kernels
