//===- Quantization.h - Fixed-point scaling as TFLite does it --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic that converts real scales to integers, and integers of one scale to another, exactly as TensorFlow
// Lite's reference kernels do ("Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
// Inference", Jacob et al., section 2.2). The compiler prepares command fields with the first half, the kernels compute
// with the second. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_QUANTIZATION_H
#define AVOCET_KERNELS_QUANTIZATION_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/DataType.h"
#include "avocet/kernels/Activation.h"

#include <cstdint>
#include <optional>

namespace avocet::kernels {

//===----------------------------------------------------------------------===//
// Preparing parameters
//===----------------------------------------------------------------------===//

/// A shift to the left by which every number but 0 becomes the largest or the smallest one, by the sign of the product.
inline constexpr int kSaturatingShift = 31;
/// The same for 64-bit sums, whose shifts are those of 15-bit multipliers.
inline constexpr int kSaturatingWideShift = 15;
/// Shifts to the right beyond 31 and, of 64-bit sums, beyond 47 count as these.
inline constexpr int kLeastShift = -31;
inline constexpr int kLeastWideShift = -47;

/// real is approximately multiplier * 2^(shift - 31), multiplier 0 or in [2^30, 2^31), shift positive to the left.
/// Reals below 2^-32 become {0, 0}, and so do negative numbers and NaN. From 2^30 on the shift is kSaturatingShift; the
/// reference does not define products with such numbers.
firmware::Rescale quantizeMultiplier(double real);

/// Whether products with the number need no saturation.
bool isValidMultiplier(double real);

/// The exponent of a scale that the reference takes for a power of two: its logarithm, computed in float, is an integer
/// to less than 0.001. Files round scales, and the fixed-point forms of 16-bit numbers assume powers of two.
std::optional<int> scaleExponent(float scale);

/// Smallest and largest value of an integer type; of i64 those of i32, which mean "no bound" in a clamp of i64.
int32_t minValue(firmware::DataType type);
int32_t maxValue(firmware::DataType type);

/// Clamp in the stored type for an activation on an integer output of this scale and zero point.
firmware::Clamp quantizedActivationClamp(Activation activation, firmware::DataType type, float scale,
                                         int32_t zeroPoint);

/// Clamp for a fused activation on a float output: the fields hold float32 bits. Infinities become finite, with None
/// too, as in the reference.
firmware::Clamp floatActivationClamp(Activation activation);

/// Clamp for an activation by itself, which keeps infinities; None keeps all floats.
firmware::Clamp plainActivationClamp(Activation activation);

/// Rescales of a quantized addition or subtraction. 8-bit types use left shift 20, int16 uses 15.
struct AddRescales {
  uint32_t leftShift;
  firmware::Rescale inputA;
  firmware::Rescale inputB;
  firmware::Rescale output;
};
AddRescales prepareAdd(firmware::DataType type, float scaleA, float scaleB, float scaleOutput);

/// The same for squared differences, whose result has the scale of a product.
AddRescales prepareSquaredDifference(float scaleA, float scaleB, float scaleOutput);

/// The same for 16-bit numbers whose scales are powers of two (scaleExponent), none of the inputs' larger than the
/// output's: an exact shift right, with halves away from zero.
AddRescales prepareShiftedAdd(float scaleA, float scaleB, float scaleOutput);

/// Rescale of a quantized product; the real multiplier is computed in float, as the reference does.
firmware::Rescale prepareMul(float scaleA, float scaleB, float scaleOutput);

/// Rescale from the accumulator scale (input * weight) to the output scale. PerChannel multiplies in double: int8
/// (depthwise) convolutions, also those with a single weight scale. PerTensor multiplies the two scales in float: fully
/// connected and all uint8 operations. The two differ in the last bits of the multiplier, and so in rare outputs.
firmware::Rescale prepareConvPerChannel(float inputScale, float weightScale, float outputScale);
firmware::Rescale prepareConvPerTensor(float inputScale, float weightScale, float outputScale);

/// Rescale between two scales (QUANTIZE of an integer tensor, MEAN).
firmware::Rescale prepareRequantize(float inputScale, float outputScale);

/// The factor with which the form for 64-bit sums computes: a multiplier of 16 bits, times 2^(shift - 15).
firmware::Rescale reducedToWide(const firmware::Rescale &factor);

//===----------------------------------------------------------------------===//
// Computing with them
//===----------------------------------------------------------------------===//

/// High 32 bits of 2ab, rounded to nearest with ties upwards, saturated at the single overflow.
int32_t saturatingRoundingDoublingHighMul(int32_t a, int32_t b);

/// x / 2^exponent, rounded to nearest with ties away from zero; 0 <= exponent <= 31.
int32_t roundingDivideByPowerOfTwo(int32_t x, int exponent);

/// x * multiplier * 2^(shift - 31) with two roundings, -31 <= shift <= kSaturatingShift. A left shift that overflows
/// wraps, as in the reference, but for the saturating one.
int32_t multiplyByQuantizedMultiplier(int32_t x, int32_t multiplier, int shift);

/// The same with one rounding: (x * multiplier + 2^(30 - shift)) >> (31 - shift), halves upwards, the result truncated
/// to 32 bits; -31 <= shift <= kSaturatingShift. For shift >= 0 it equals the form with two roundings, unless that
/// wraps.
int32_t multiplyRoundedOnce(int32_t x, int32_t multiplier, int shift);

/// The same with halves to the even number.
int32_t multiplyRoundedToEven(int32_t x, int32_t multiplier, int shift);

inline int32_t multiplyRounded(int32_t x, const firmware::Rescale &factor, firmware::Rounding rounding) {
  if (rounding == firmware::Rounding::Double)
    return multiplyByQuantizedMultiplier(x, factor.multiplier, factor.shift);
  return rounding == firmware::Rounding::Single ? multiplyRoundedOnce(x, factor.multiplier, factor.shift)
                                                : multiplyRoundedToEven(x, factor.multiplier, factor.shift);
}

/// The form for accumulators of 16-bit inputs: one rounding, multiplier reduced to 16 bits, the result truncated to 32
/// bits; kLeastWideShift <= shift. From kSaturatingWideShift on it saturates.
int32_t multiplyByQuantizedMultiplier64(int64_t x, int32_t multiplier, int shift);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_QUANTIZATION_H
