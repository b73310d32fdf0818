//===- AxisExtents.h - A dense tensor seen along one axis -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that work along one axis of a tensor of any rank treat it as [outer, axis, inner]: the extents before the
// axis and after it are folded. Element (o, a, i) is at (o * axis + a) * inner + i of the dense map; a line is the set
// of elements that differ in `a` only.
//
// Lines along the last axis need not be dense: with outer = 0 each pixel of the maps is a line, at any address, and a
// command may be cut into its rows. Then axis is the number of channels, and inner is 1.
//
// With outer = 1 a map may also have a row of one pixel for each place along the axis, with gaps between the rows.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_AXISEXTENTS_H
#define AVOCET_KERNELS_DSP_AXISEXTENTS_H

#include "avocet/kernels/DspParameters.h"

#include <cstdint>

namespace avocet::kernels {

struct AxisExtents {
  uint32_t outer = 1; ///< product of the extents before the axis; 0: every pixel is a line
  uint32_t axis = 1;
  uint32_t inner = 1; ///< product of the extents after the axis

  bool linesArePixels() const { return outer == 0; }

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("outer", self.outer);
    visit("axis", self.axis);
    visit("inner", self.inner);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_AXISEXTENTS_H
