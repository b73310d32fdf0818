//===- SplitterTableTest.cpp - A splitter for each kernel -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"

#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/LshProjection.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Random.h"
#include "avocet/kernels/dsp/Suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace avocet::compiler::schedule {
namespace {

/// Kernels without a splitter, with the reason. An operation of them that exceeds SRAM is refused.
constexpr std::pair<kernels::KernelId, std::string_view> kExemptions[] = {
    {kernels::kDynamicQuantizeKernel, "the scale depends on the whole input"},
    {kernels::kRowRangeKernel, "it runs in stripes of rows, and a row is small"},
    {kernels::kDynamicRecordKernel, "ranges are small"},
    {kernels::kDynamicValuesKernel, "it runs in stripes of rows, and a row is small"},
    {kernels::kIntegerLstmKernel, "the state passes from step to step"},
    {kernels::kFloatLstmKernel, "the state passes from step to step"},
    {kernels::kIntegerLstmStepsKernel, "the state passes from step to step"},
    {kernels::kFloatLstmStepsKernel, "the state passes from step to step"},
    {kernels::kHybridLstmStepsKernel, "the state passes from step to step"},
    {kernels::kLstmCellKernel, "the state passes from step to step"},
    {kernels::kRnnCellKernel, "the state passes from step to step"},
    {kernels::kSvdfKernel, "the state passes from step to step"},
    {kernels::kIntegerLstmCellKernel, "the state passes from step to step"},
    {kernels::kQuantized16BitLstmKernel, "the state passes from step to step"},
    {kernels::kHybridLstmCellKernel, "the state passes from step to step"},
    {kernels::kHybridRnnCellKernel, "the state passes from step to step"},
    {kernels::kHybridSvdfKernel, "the state passes from step to step"},
    {kernels::kIntegerSvdfKernel, "the state passes from step to step"},
    {kernels::kRandomMultinomialKernel, "classes and samples of a batch are few"},
    {kernels::kHashtableLookupKernel, "a key may be anywhere in the table"},
    {kernels::kDetectionPostprocessKernel, "each result depends on all boxes"},
    {kernels::kBoxNmsLimitKernel, "each result depends on all boxes"},
    {kernels::kGenerateProposalsKernel, "each result depends on all boxes"},
    {kernels::kNonMaxSuppressionKernel, "each result depends on all boxes"},
    {kernels::kLshProjectionKernel, "each bit depends on the whole input"},
};

bool isExempt(kernels::KernelId kernel) {
  return std::ranges::any_of(kExemptions, [&](const auto &entry) { return entry.first == kernel; });
}

TEST(SplitterTableTest, EachKernelHasASplitterOrAnExemption) {
  for (const kernels::Kernel *kernel : kernels::allKernels()) {
    const bool hasSplitter =
        std::ranges::find(splitterTable(), kernel->id(), &SplitterEntry::kernel) != splitterTable().end();
    EXPECT_NE(hasSplitter, isExempt(kernel->id())) << kernel->name() << " needs a splitter or an exemption, not both";
  }
}

} // namespace
} // namespace avocet::compiler::schedule
