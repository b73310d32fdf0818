//===- Splitters.h - Splitters by kernel ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per family. Each examines the operation and its command over whole tensors, and returns no splitters if
// it does not support the operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_SPLITTERS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_SPLITTERS_H

#include "Piece.h"

#include "avocet/kernels/KernelId.h"
#include "avocet/kernels/dsp/AxisExtents.h"

#include <span>

namespace avocet::compiler::schedule {

/// The operation that a splitter cuts.
struct Whole {
  const Problem &problem;
  const Operation &op;
  kernels::KernelId kernel;
};

/// The function for a kernel.
struct SplitterEntry {
  kernels::KernelId kernel;
  Splitters (*split)(const Whole &);
};

/// In order of preference where a kernel has several. A kernel without an entry is not cut.
std::span<const SplitterEntry> splitterTable();
/// The same for pieces with a state, which are used if no others fit.
std::span<const SplitterEntry> stateSplitterTable();

/// A single splitter that makes the whole operation.
template <typename T, typename... Args> Splitters oneSplitter(Args &&...args) {
  Splitters splitters;
  splitters.push_back(std::make_unique<T>(std::forward<Args>(args)...));
  return splitters;
}

/// Element by element, with operands that repeat along rows, columns or channels.
Splitters splitElementwise(const Whole &whole);
/// Binary operations whose operands repeat along any axes.
Splitters splitBroadcast(const Whole &whole);
/// Normalizations of lines along an axis, and the extents of these lines.
std::optional<kernels::AxisExtents> lineExtentsOf(const Whole &whole);
Splitters splitLines(const Whole &whole);
/// The same in sections of each line.
Splitters splitSections(const Whole &whole);
/// Running sums, in sections of each line.
Splitters splitScan(const Whole &whole);
/// Reductions, along the kept axes.
Splitters splitReductions(const Whole &whole);
/// The same in sections of the reduced axes.
Splitters splitReduceSections(const Whole &whole);
/// Data movement.
Splitters splitRearrange(const Whole &whole);
Splitters splitGather(const Whole &whole);
/// The same in sections of the table.
Splitters splitGatherSections(const Whole &whole);
/// Slices of tables at run-time coordinates.
Splitters splitSlices(const Whole &whole);
/// The same in sections of the table, or of the slices combined into it.
Splitters splitSliceSections(const Whole &whole);
/// The largest elements of rows, along the rows.
Splitters splitTopK(const Whole &whole);
/// Spectra, along the lines.
Splitters splitFourier(const Whole &whole);
/// Along the boxes; heat maps along the points, and regions along the channels too.
Splitters splitBoxTransform(const Whole &whole);
Splitters splitHeatmaps(const Whole &whole);
Splitters splitRegions(const Whole &whole);
Splitters splitResize(const Whole &whole);
/// Convolutions and pools of the MAC array.
Splitters splitWindows(const Whole &whole);
/// Convolutions of the MAC array with computed weights, set by set.
Splitters splitMatrixProducts(const Whole &whole);
/// The same on the vector DSP.
Splitters splitWindowLayers(const Whole &whole);
/// Convolutions of these in sections of the sum.
Splitters splitConvSections(const Whole &whole);
/// Pools in sections of the windows' rows.
Splitters splitPoolSections(const Whole &whole);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_SPLITTERS_H
