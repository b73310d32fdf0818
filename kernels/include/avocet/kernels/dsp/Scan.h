//===- Scan.h - Running sums ------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "cumulativeSum": each element of a line along one axis becomes the sum of the elements up to it.
//
//   inputs[0]   f32, f16, i32 or i64, as softmaxNd (Softmax.h): dense, seen as [outer, axis, inner]
//   outputs[0]  the same shape and type
//
// Reals are added in f32, from the start of the line; f16 sums are rounded when they are stored. Sums of i32 and i64
// wrap.
//
// Works in sections (AxisExtents.h) with one pass. The results of a section need the state of the sections before it,
// from the end of the line with `reverse`: for each section a command for the results comes before the one that adds
// the section to the state. The state is the sum: the bits of f32, or i32, then an unused word; or i64.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SCAN_H
#define AVOCET_KERNELS_DSP_SCAN_H

#include "avocet/kernels/KernelId.h"
#include "avocet/kernels/dsp/AxisExtents.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kCumulativeSumKernel{"cumulativeSum", 67};

struct CumulativeSumParameters {
  AxisExtents extents;
  uint32_t exclusive = 0; ///< 1: without the element itself
  uint32_t reverse = 0;   ///< 1: from the end of the line

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    AxisExtents::visitFields(self.extents, visit);
    visit("exclusive", self.exclusive);
    visit("reverse", self.reverse);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SCAN_H
