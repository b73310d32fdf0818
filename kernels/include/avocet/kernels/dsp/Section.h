//===- Section.h - Sections of operands larger than memory ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels reduce, argReduce, gather, gatherNd, scatter, windowConv and windowPool read an axis that does not fit in
// memory in sections, one command for each, in order. The parameters of such a command are those of the kernel, with
// the extents of the section, followed by a Section. It has one more input than a command for the whole, unless
// isFirst, and one output:
//
//   last input  the state: what the sections before have found
//   outputs[0]  the new state, at the address of the last input if that exists; with isLast the results
//
// Operands of all but scatter and the kernels of windows are one row each; the state is described with each kernel. The
// results have the bits of one command for the whole.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SECTION_H
#define AVOCET_KERNELS_DSP_SECTION_H

#include <cstdint>

namespace avocet::kernels {

struct Section {
  uint32_t isFirst = 0, isLast = 0; ///< 0 or 1; the state is not read, not written
  uint32_t begin = 0;               ///< the section's position along the axis
  uint32_t length = 1;              ///< elements along the whole axis, or along all reduced axes

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("isFirst", self.isFirst);
    visit("isLast", self.isLast);
    visit("begin", self.begin);
    visit("length", self.length);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SECTION_H
