//===- Quantize.h - Conversions between types and scales -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels that change type or scale element by element; input and output have the same shape.
//
// "quantize"         inputs[0] f16 or f32, outputs[0] i8, u8 or i16: round(x / scale) + outputs[0].zeroPoint, clamped;
//                    halves away from zero or to the even number. Parameters: QuantizeParameters.
// "dequantize"       inputs[0] i8, u8, i16 or i32, outputs[0] f16 or f32: scale * (q - inputs[0].zeroPoint),
//                    product in double, rounded to f32 first. Parameters: QuantizeParameters.
// "requantize"       integers (i8, u8, i16, u16, i32, i64) to integers (the same but i64); i32 and i64 have zero point
//                    0: multiplyByQuantizedMultiplier(q - input zero point) + output zero point, clamped to the type
//                    and to the clamp of the parameters. i64 are sums for multiplyByQuantizedMultiplier64. Differences
//                    below 0 may have their own multiplier. With inputs[1], i64 of shape 1 x 1 x channels (or with as
//                    many rows or columns as the output), each channel has a multiplier (low half of the element) and a
//                    shift (high half) of its own instead of those of the parameters, which are 0. Parameters:
//                    RequantizeParameters.
// "dynamicQuantize"  inputs[0] f32, outputs[0] i8, outputs[1] one firmware::DynamicRecord as i8 of shape 1 x 1 x 8 at
//                    an address that is a multiple of 4: scale (and zero point) from the range of the whole input. The
//                    zero points of the feature maps are 0. Parameters: DynamicQuantizeParameters.
//
// Three kernels that do the same in steps that run beside the commands that make and read the rows. A range is two f32,
// the smallest and the largest element; NaN is left out.
//
// "rowRange"         inputs[0] f32 H x W x C, outputs[0] f32 H x 1 x 2: the range of each row. No parameters.
// "dynamicRecord"    inputs[0] f32 N x 1 x 2, ranges; outputs[0] f32 1 x 1 x 2, the range of all; outputs[1] its record
//                    as above. Parameters: DynamicQuantizeParameters.
// "dynamicValues"    inputs[0] f32, inputs[1] f32 1 x 1 x 2, the range of all; outputs[0] i8, as above. Parameters:
//                    DynamicQuantizeParameters.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_QUANTIZE_H
#define AVOCET_KERNELS_DSP_QUANTIZE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <limits>

namespace avocet::kernels {

inline constexpr KernelId kQuantizeKernel{"quantize", 3};
inline constexpr KernelId kDequantizeKernel{"dequantize", 4};
inline constexpr KernelId kRequantizeKernel{"requantize", 5};
inline constexpr KernelId kDynamicQuantizeKernel{"dynamicQuantize", 6};
inline constexpr KernelId kRowRangeKernel{"rowRange", 83};
inline constexpr KernelId kDynamicRecordKernel{"dynamicRecord", 84};
inline constexpr KernelId kDynamicValuesKernel{"dynamicValues", 85};

struct QuantizeParameters {
  float scale = 1.0f;        ///< finite and positive
  uint32_t halvesToEven = 0; ///< 1: of "quantize", else halves away from zero; "dequantize" rounds no halves and has 0

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("scale", self.scale);
    visit("halvesToEven", self.halvesToEven);
  }
};

struct RequantizeParameters {
  int32_t multiplier = 0; ///< input scale / output scale, see prepareRequantize
  int32_t shift = 0;
  int32_t min = std::numeric_limits<int32_t>::min(); ///< bounds of an activation, min <= max
  int32_t max = std::numeric_limits<int32_t>::max();
  uint32_t hasSlope = 0; ///< 1: numbers below 0 have the multiplier that follows
  int32_t slope = 0;     ///< may be negative
  int32_t slopeShift = 0;
  firmware::Rounding rounding = firmware::Rounding::Double; ///< of products; i64 have one rounding in any case

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
    visit("min", self.min);
    visit("max", self.max);
    visit("hasSlope", self.hasSlope);
    visit("slope", self.slope);
    visit("slopeShift", self.slopeShift);
    visit("rounding", self.rounding);
  }
};

/// The element of inputs[1] of "requantize" with the multiplier of a channel.
constexpr int64_t packRescale(const firmware::Rescale &rescale) {
  return int64_t(uint64_t(uint32_t(rescale.shift)) << 32 | uint32_t(rescale.multiplier));
}
constexpr firmware::Rescale unpackRescale(int64_t element) {
  return {static_cast<int32_t>(element), static_cast<int32_t>(element >> 32)};
}

struct DynamicQuantizeParameters {
  /// 0: symmetric, range [-127, 127] over the largest magnitude (hybrid operations with one weight scale, fully
  /// connected). 1: asymmetric, range [-128, 127] with a zero point (hybrid convolutions with a scale per channel).
  uint32_t asymmetric = 0;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("asymmetric", self.asymmetric);
  }
};

/// A second parameter word makes the command a part of "dynamicQuantize": it computes the range of some of the
/// elements, stored in the place of the record (f32 smallest, f32 largest), or quantizes some elements with that range.
enum class DynamicQuantizeStep : uint32_t {
  All = 0,        ///< without the word
  FirstRange = 1, ///< starts the range with these elements
  Range = 2,      ///< extends the range with these elements
  Values = 3,     ///< quantizes these elements; the range stays
  LastValues = 4, ///< quantizes these elements; then the record replaces the range
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_QUANTIZE_H
