//===- AxisExtents.h - A dense tensor seen along one axis -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that work along one axis of a tensor of any rank see it as [outer, axis, inner]: the extents in front of the
// axis and behind it are folded. Element (o, a, i) stands at (o * axis + a) * inner + i of the dense map; a line is
// what differs in `a` only.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_AXISEXTENTS_H
#define AVOCET_KERNELS_DSP_AXISEXTENTS_H

#include "avocet/kernels/DspParameters.h"

#include <cstdint>

namespace avocet::kernels {

struct AxisExtents {
  uint32_t outer = 1; ///< product of the extents in front of the axis
  uint32_t axis = 1;
  uint32_t inner = 1; ///< product of the extents behind it

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("outer", self.outer);
    visit("axis", self.axis);
    visit("inner", self.inner);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_AXISEXTENTS_H
