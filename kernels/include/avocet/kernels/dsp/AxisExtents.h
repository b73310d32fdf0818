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
// Lines that do not fit in memory are read in sections, one command for each section, from the first to the last: once
// for each pass of the kernel (linePassesOf() in Normalize.h), where a command adds its section to the state of each
// line, and once more to compute the results. The parameters of such a command are those of the kernel, with the
// extents of the section, followed by a LineStep:
//
//   inputs[0]   the section, dense; outer is not 0
//   inputs[1]   i32, dense, kLineStateWords words for each line; only if the command continues a state
//   outputs[0]  the state, as inputs[1], at the same address if that exists; after the last pass the results
//
// The results have the same bits as those of one command for whole lines.
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

/// What a command does with a section of its lines.
struct LineStep {
  uint32_t pass = 0;    ///< below the number of passes: adds to the state; equal to it: computes the results
  uint32_t isFirst = 0; ///< 1: starts a state, without inputs[1]
  uint32_t length = 1;  ///< elements of a whole line

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("pass", self.pass);
    visit("isFirst", self.isFirst);
    visit("length", self.length);
  }
};

inline constexpr uint32_t kLineStateWords = 2;

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_AXISEXTENTS_H
