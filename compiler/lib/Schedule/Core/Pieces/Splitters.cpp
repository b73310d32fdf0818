//===- Splitters.cpp - Splitters by kernel ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"

#include "Schedule/Core/TileCommand.h"

#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/MacKernels.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Cast.h"
#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Fourier.h"
#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Rearrange.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Regions.h"
#include "avocet/kernels/dsp/Resize.h"
#include "avocet/kernels/dsp/Scan.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Select.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Sort.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace avocet::compiler::schedule {

namespace {

constexpr SplitterEntry kEntries[] = {
    {kernels::kEltwiseKernel, splitElementwise},
    {kernels::kLookupKernel, splitElementwise},
    {kernels::kUnaryKernel, splitElementwise},
    {kernels::kCastKernel, splitElementwise},
    {kernels::kSelectKernel, splitElementwise},
    {kernels::kQuantizeKernel, splitElementwise},
    {kernels::kDequantizeKernel, splitElementwise},
    {kernels::kRequantizeKernel, splitElementwise},
    {kernels::kWideSigmoidKernel, splitElementwise},
    {kernels::kBinaryKernel, splitBroadcast},
    {kernels::kBinaryKernel, splitElementwise},
    {kernels::kSoftmaxKernel, splitLines},
    {kernels::kCumulativeSumKernel, splitLines},
    {kernels::kReduceKernel, splitReductions},
    {kernels::kArgReduceKernel, splitReductions},
    {kernels::kMeanKernel, splitReductions},
    {kernels::kRearrangeKernel, splitRearrange},
    {kernels::kGatherKernel, splitGather},
    {kernels::kGatherNdKernel, splitSlices},
    {kernels::kScatterKernel, splitSlices},
    {kernels::kTopKKernel, splitTopK},
    {kernels::kRealFourierKernel, splitFourier},
    {kernels::kBoxTransformKernel, splitBoxTransform},
    {kernels::kHeatmapKeypointKernel, splitHeatmaps},
    {kernels::kRegionsKernel, splitRegions},
    {kernels::kWindowConvKernel, splitWindowLayers},
    {kernels::kWindowPoolKernel, splitWindowLayers},
    {kernels::kResizeKernel, splitResize},
    {kernels::kConvKernel, splitWindows},
    {kernels::kPoolKernel, splitWindows},
};

constexpr SplitterEntry kStateEntries[] = {
    {kernels::kSoftmaxKernel, splitSections},         {kernels::kReduceKernel, splitReduceSections},
    {kernels::kArgReduceKernel, splitReduceSections}, {kernels::kMeanKernel, splitReduceSections},
    {kernels::kGatherKernel, splitGatherSections},    {kernels::kGatherNdKernel, splitSliceSections},
    {kernels::kScatterKernel, splitSliceSections},    {kernels::kWindowConvKernel, splitConvSections},
    {kernels::kCumulativeSumKernel, splitScan},       {kernels::kWindowPoolKernel, splitPoolSections},
};

using Table = std::vector<SplitterEntry>;

/// The entries, and one for each normalization.
Table makeTable() {
  Table table(std::begin(kEntries), std::end(kEntries));
  for (kernels::KernelId kernel : kernels::kNormalizeKernels)
    table.push_back({kernel, splitLines});
  return table;
}

Table makeStateTable() {
  Table table(std::begin(kStateEntries), std::end(kStateEntries));
  for (kernels::KernelId kernel : kernels::kNormalizeKernels)
    if (kernels::linePassesOf(kernel) != 0)
      table.push_back({kernel, splitSections});
  return table;
}

} // namespace

std::span<const SplitterEntry> splitterTable() {
  static const Table kTable = makeTable();
  return kTable;
}

std::span<const SplitterEntry> stateSplitterTable() {
  static const Table kTable = makeStateTable();
  return kTable;
}

Splitters splittersOf(const Problem &problem, uint32_t operation, Cut cut) {
  const kernels::Kernel *kernel = kernels::findKernel(problem.operations[operation].command);
  if (!kernel)
    return {};
  const Whole whole{problem, problem.operations[operation], kernel->id()};
  for (const SplitterEntry &entry : cut == Cut::Independent ? splitterTable() : stateSplitterTable())
    if (entry.kernel == whole.kernel)
      if (Splitters splitters = entry.split(whole); !splitters.empty())
        return splitters;
  return {};
}

} // namespace avocet::compiler::schedule
