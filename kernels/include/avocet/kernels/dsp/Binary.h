//===- Binary.h - Element-wise functions of two operands -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "binary": output = function(a, b), element by element, with broadcasting. It covers what the MAC array's
// element-wise unit does not support: other types, other functions, and shapes whose broadcast axes are not rows,
// pixels or channels.
//
//   inputs[0], inputs[1]  one type
//   outputs[0]            the same type; bool8 for comparisons
//
// Types by kind: Add to Mul i16, i32, i64, f16, f32, i8, u8; Div i32, i64, f16, f32, i8, u8; TruncatedDiv i32, i64;
// Minimum, Maximum i16, i32, i64, f16, f32, i8, u8; Pow i32, f16, f32; Prelu f16, f32, i8, u8; comparisons i16, i32,
// i64, f16, f32, i8, u8, bool8; And, Or bool8; Atan2, Hypot f16, f32; FloorDiv, FloorMod all but bool8 and u16;
// SquaredDifference i32, i64, f16, f32, i8; the bitwise functions and shifts i8, u8, i16, i32, i64.
//
// f16 is computed in f32 and rounded once. Integers wrap around; a quotient is rounded downwards (TruncatedDiv: towards
// zero), and it and the remainder are 0 where the divisor is 0. 8-bit and 16-bit sums and products are those of the MAC
// array (Quantization.h: prepareAdd, prepareMul). 8-bit Minimum and Maximum compare stored values. 8-bit comparisons
// compare scale * (stored - zero point) in f32; if leftShift is not 0, instead the rescaled (stored - zero point) <<
// leftShift, as integers. 8-bit SquaredDifference has the rescales of prepareSquaredDifference. Any non-zero byte is
// true. 8-bit Div multiplies by the reciprocal of the divisor in fixed point, as TFLite's reference kernel;
// rescaleOutput is scale of a / (scale of b * output scale). Where that kernel would shift by more than 31 to the
// right, which it does not define, the quotient is 0.
//
// With rank 0 the extents of an input are the output's or 1. With a rank the width of all operands is 1, an input has
// the output's rows or one, and `shape` maps the elements of a row to those of the inputs. In both cases a row of the
// output depends on one row of each input.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_BINARY_H
#define AVOCET_KERNELS_DSP_BINARY_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <array>
#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kBinaryKernel{"binary", 20};

/// Numbers are part of the command encoding: append only.
enum class BinaryKind : uint32_t {
  Add = 0,
  Sub = 1,
  Mul = 2,
  Div = 3,
  Minimum = 4,
  Maximum = 5,
  Pow = 6,
  Prelu = 7, ///< a >= 0 ? a : a * b
  Equal = 8,
  NotEqual = 9,
  Less = 10,
  LessEqual = 11,
  Greater = 12,
  GreaterEqual = 13,
  And = 14,
  Or = 15,
  Atan2 = 16,
  FloorDiv = 17,
  FloorMod = 18,          ///< the rest of FloorDiv
  SquaredDifference = 19, ///< (a - b)^2
  BitwiseXor = 20,
  RightShift = 21, ///< arithmetic; the distance is clamped to 0 to width - 1
  TruncatedDiv = 22,
  Hypot = 23, ///< the square root of a^2 + b^2, without overflow on the way
  BitwiseAnd = 24,
  BitwiseOr = 25,
  LeftShift = 26,          ///< 0 if the distance is negative or the width or more
  LogicalRightShift = 27,  ///< the same
  RoundingRightShift = 28, ///< RightShift plus the last bit that it shifts out
};
inline constexpr uint32_t kNumBinaryKinds = 29;

/// Shape of a row of the output, and for both inputs the element stride along each axis (0: broadcast).
struct BroadcastShape {
  static constexpr uint32_t kMaxAxes = 8;
  uint32_t rank = 0; ///< 0: extents are the output's or 1 (see above)
  std::array<uint32_t, kMaxAxes> extents{};
  std::array<uint32_t, kMaxAxes> stridesA{};
  std::array<uint32_t, kMaxAxes> stridesB{};

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("rank", self.rank);
    for (auto &extent : self.extents)
      visit("extent", extent);
    for (auto &stride : self.stridesA)
      visit("strideA", stride);
    for (auto &stride : self.stridesB)
      visit("strideB", stride);
  }
};

struct BinaryParameters {
  BinaryKind kind = BinaryKind::Add;
  firmware::Clamp clamp;      ///< of Add to Div: stored values, or float32 bits for f16 and f32; also TruncatedDiv
  uint32_t leftShift = 0;     ///< 8-bit Add, Sub and SquaredDifference: see AddRescales; comparisons: see above
  firmware::Rescale rescaleA; ///< 8-bit Add and Sub; Prelu: input scale / output scale, for values of 0 or more
  firmware::Rescale rescaleB; ///< 8-bit Add and Sub, SquaredDifference, comparisons; so is rescaleA
  firmware::Rescale
      rescaleOutput;   ///< 8-bit Add to Div, SquaredDifference; Prelu: product of input scales / output scale
  float scaleA = 1.0f; ///< 8-bit comparisons
  float scaleB = 1.0f;
  BroadcastShape shape;
  firmware::Rounding rounding =
      firmware::Rounding::Double; ///< 8-bit and 16-bit Add, Sub and Mul, 8-bit Prelu; Double for all others

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("clampMin", self.clamp.min);
    visit("clampMax", self.clamp.max);
    visit("leftShift", self.leftShift);
    for (auto *rescale : {&self.rescaleA, &self.rescaleB, &self.rescaleOutput}) {
      visit("multiplier", rescale->multiplier);
      visit("shift", rescale->shift);
    }
    visit("scaleA", self.scaleA);
    visit("scaleB", self.scaleB);
    BroadcastShape::visitFields(self.shape, visit);
    visit("rounding", self.rounding);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_BINARY_H
