//===- Gather.h - Slices at run-time positions ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "gather": out[o][i][n] = in[o][index[i]][n].
//
//   inputs[0]   [outer, extent, inner], dense
//   inputs[1]   i32 or i64, dense, the indices
//   outputs[0]  [outer, indices, inner], dense, the type of inputs[0]
//
// Indices are run-time data: one outside of [0, extent) is a bad index (Kernel.h), and selects the nearest element
// inside. (NNAPI leaves the result of such an execution open; it must not read outside the tensor.)
//
// It works in sections (Section.h) of the table, with at most 2^31 - 1 slices: a command copies the slices of its
// section; the other elements of the result are those of the state, which has the type and the shape of outputs[0], or
// 0.
//
// DSP kernel "hashtableLookup": rows of values by key.
//
//   inputs[0]   i32, dense, the keys to look up
//   inputs[1]   i32, dense, the table's keys, ascending
//   inputs[2]   dense, a row for each of the table's keys one after the other
//   outputs[0]  dense, a row for each key to look up, the type of inputs[2]; zero bytes where the key is not found
//   outputs[1]  8 bits, dense, for each key to look up 1 if it was found, else 0
//
// It has no parameters. If the table's keys are not ascending, some of them are not found; nothing else is affected.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_GATHER_H
#define AVOCET_KERNELS_DSP_GATHER_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kGatherKernel{"gather", 11};
inline constexpr KernelId kHashtableLookupKernel{"hashtableLookup", 12};

struct GatherParameters {
  uint32_t outer = 1;
  uint32_t extent = 1;
  uint32_t inner = 1;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("outer", self.outer);
    visit("extent", self.extent);
    visit("inner", self.inner);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_GATHER_H
