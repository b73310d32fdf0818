//===- Reduce.h - Reductions of axes -------------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DSP kernel "reduce": combines all elements along some axes into one, row by row.
//
//   inputs[0]   [rows, 1, elements of the shape]
//   outputs[0]  [rows, 1, elements of the shape without the reduced axes], the same type
//
// With one row whose shape is [reduced, kept], inputs[0] may also be [reduced, 1, kept], with gaps between its rows.
//
// Types: Sum, Prod and Mean f16, f32, i32, i64, i16, i8; Max and Min these and u8, bool8 (any byte but 0 is 1: any and
// all); Sum and Mean also u8. Reals are combined in f32, in memory order, and rounded once. Sums and products of
// i32 and i64 wrap around; their means are sums of 64 bits, divided and rounded towards zero. The mean of i8 and u8 is
// that of kernel "mean" (Mean.h). Sums of i8, u8 and i16 wrap around if the multiplier is 0; else it holds the bits of
// an f32, the ratio r of the scales, and the result is round(sum * r - zero point * r * count) + zero point of the
// result, in f32, modulo 2^8 or 2^16. Products of i8 and i16 are those of the stored values less the zero point; after
// each factor but the first, and at the end, they are rescaled by the multiplier and the shift
// (multiplyByQuantizedMultiplier64). The result adds the zero point and saturates.
//
// DSP kernel "argReduce": positions of the largest or smallest elements along an axis, the first of equals, row by row.
//
//   inputs[0]   any type but bool8 and u16, [rows, 1, outer * extent * inner]
//   outputs[0]  i32 or i64, [rows, 1, outer * inner]
//
// With one row and one outer extent, inputs[0] may also be [extent, 1, inner], with gaps between its rows.
//
// Both kernels work in sections (Section.h) of reduced elements in memory order. States are i32, with kReduceStateWords
// or kArgReduceStateWords words for each result.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_REDUCE_H
#define AVOCET_KERNELS_DSP_REDUCE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <array>
#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kReduceKernel{"reduce", 23};
inline constexpr KernelId kArgReduceKernel{"argReduce", 24};

/// Numbers are part of the command encoding: append only.
enum class ReduceKind : uint32_t { Sum = 0, Prod = 1, Max = 2, Min = 3, Mean = 4 };
inline constexpr uint32_t kNumReduceKinds = 5;

struct ReduceParameters {
  static constexpr uint32_t kMaxAxes = 8;
  ReduceKind kind = ReduceKind::Sum;
  int32_t multiplier = 0; ///< of means of i8 and u8, see prepareMean; of their sums and of products, see above
  int32_t shift = 0;
  uint32_t rank = 1;                                        ///< of the shape of a row
  std::array<uint32_t, kMaxAxes> extents = {};              ///< of a row, dense
  uint32_t reducedAxes = 0;                                 ///< bit n: axis n
  firmware::Rounding rounding = firmware::Rounding::Double; ///< of means of i8, u8 and i16; Double for all others

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
    visit("rank", self.rank);
    for (auto &extent : self.extents)
      visit("extent", extent);
    visit("reducedAxes", self.reducedAxes);
    visit("rounding", self.rounding);
  }
};

struct ArgReduceParameters {
  uint32_t smallest = 0; ///< 1: of the smallest element, 0: of the largest
  uint32_t extent = 1;   ///< of the axis
  uint32_t inner = 1;    ///< elements of a row after the axis

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("smallest", self.smallest);
    visit("extent", self.extent);
    visit("inner", self.inner);
  }
};

inline constexpr uint32_t kReduceStateWords = 2;
inline constexpr uint32_t kArgReduceStateWords = 4;

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_REDUCE_H
