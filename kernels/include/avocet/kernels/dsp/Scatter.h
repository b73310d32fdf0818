//===- Scatter.h - Slices at run-time coordinates ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels on slices of a table [extents..., slice], at the coordinates in an operand of indices [count, depth]. All
// operands are dense.
//
// DSP kernel "gatherNd": slices of the table, one for each row of indices.
//
//   inputs[0]   the table, elements of 1, 2 or 4 bytes
//   inputs[1]   i32 [count, depth]
//   outputs[0]  [count, slice], the type of inputs[0]
//
//   A coordinate outside of its extent is a bad index (Kernel.h), and selects the nearest one inside.
//
// DSP kernel "scatter": the table with slices combined into it, in the order of the indices.
//
//   inputs[0]   the table, f32, f16, i64, i32, i16, i8, u8 or (Set only) bool8, bf16
//   inputs[1]   i32 [count, depth]
//   inputs[2]   [count, slice], the type of inputs[0]
//   outputs[0]  as inputs[0]
//
//   A slice with a coordinate outside of its extent has no effect. The coordinate is a bad index (Kernel.h), unless the
//   first one of the row is kLeftOut. Integers wrap; f16 is combined in f32 and rounded after each slice.
//
// Both work in sections (Section.h) of the table along its first axis: extents[0] is that of the section. The state of
// gatherNd are the results, of which a section writes those that lie in it. That of scatter is the section of the
// table, into which the rows of indices are combined in several commands: inputs are the table, indices and updates
// with isFirst, else indices, updates and the state.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SCATTER_H
#define AVOCET_KERNELS_DSP_SCATTER_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <array>
#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kGatherNdKernel{"gatherNd", 70};
inline constexpr KernelId kScatterKernel{"scatter", 71};

/// The coordinate of slices that are meant to have no effect.
inline constexpr int32_t kLeftOut = INT32_MIN;

/// The shapes of the table and of the indices.
struct SliceTable {
  static constexpr uint32_t kMaxDepth = 8;
  uint32_t count = 1;                           ///< rows of indices
  uint32_t depth = 1;                           ///< coordinates in a row, at most kMaxDepth
  uint32_t slice = 1;                           ///< elements
  std::array<uint32_t, kMaxDepth> extents = {}; ///< of the first `depth` axes; the others are 0

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("count", self.count);
    visit("depth", self.depth);
    visit("slice", self.slice);
    for (auto &extent : self.extents)
      visit("extent", extent);
  }
};

/// Numbers are part of the command encoding: append only.
enum class ScatterKind : uint32_t { Set = 0, Sum = 1, Product = 2, Max = 3, Min = 4 };
inline constexpr uint32_t kNumScatterKinds = 5;

struct ScatterParameters {
  SliceTable table;
  ScatterKind kind = ScatterKind::Set;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    SliceTable::visitFields(self.table, visit);
    visit("kind", self.kind);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SCATTER_H
