//===- Registry.cpp - The kernel of a command -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Kernels.h"

#include <string>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The number is part of the command encoding: append only, never reuse.
struct DspEntry {
  uint32_t number;
  const Kernel &(*kernel)();
};

// One line each, so that branches that add or remove entries merge without conflicts.
// clang-format off
constexpr DspEntry kDspKernels[] = {
    {1, softmaxKernel},
    {2, meanKernel},
    {3, quantizeKernel},
    {4, dequantizeKernel},
    {5, requantizeKernel},
    {6, dynamicQuantizeKernel},
    {7, unaryKernel},
    {8, integerLstmKernel},
    {9, floatLstmKernel},
    {10, rearrangeKernel},
    {11, gatherKernel},
    {12, hashtableLookupKernel},
    {13, lshProjectionKernel},
    {14, resizeKernel},
    {20, binaryKernel},
    {21, selectKernel},
    {22, castKernel},
    {23, reduceKernel},
    {24, argReduceKernel},
    {30, windowConvKernel},
    {31, windowPoolKernel},
    {40, softmaxNdKernel},
    {41, l2NormalizeKernel},
    {42, localResponseKernel},
    {43, instanceNormalizeKernel},
    {44, lstmCellKernel},
    {45, rnnCellKernel},
    {46, svdfKernel},
    {47, logSoftmaxKernel},
};
// clang-format on

/// The kernel of each kind of command; null for commands without one.
struct Finder {
  template <typename Command> const Kernel *operator()(const Command &) const { return nullptr; }
  const Kernel *operator()(const ConvCommand &) const { return &convKernel(); }
  const Kernel *operator()(const PoolCommand &) const { return &poolKernel(); }
  const Kernel *operator()(const EltwiseCommand &) const { return &eltwiseKernel(); }
  const Kernel *operator()(const LookupCommand &) const { return &lookupKernel(); }
  const Kernel *operator()(const DspCommand &command) const {
    for (const DspEntry &entry : kDspKernels)
      if (entry.number == command.kernel)
        return &entry.kernel();
    return nullptr;
  }
};

} // namespace

uint32_t Kernel::parts(const CommandBody &) const { return 1; }

CommandBody Kernel::part(const CommandBody &command, uint32_t, uint32_t) const { return command; }

const Kernel *findKernel(const CommandBody &command) { return std::visit(Finder(), command); }

Result<uint32_t> dspKernelNumber(std::string_view name) {
  std::string known;
  for (const DspEntry &entry : kDspKernels) {
    if (entry.kernel().name() == name)
      return entry.number;
    known += " " + std::string(entry.kernel().name());
  }
  return notFound("DSP kernel '" + std::string(name) + "' does not exist; known:" + known);
}

} // namespace avocet::kernels
