//===- EngineTime.cpp - How long a command occupies its engine --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/EngineTime.h"

#include "DmaTime.h"

#include "avocet/kernels/Kernel.h"

namespace avocet::compiler {

using namespace firmware;

uint64_t engineCycles(const Target &target, const CommandBody &command) {
  if (const auto *dma = std::get_if<DmaCommand>(&command))
    return dmaTime(target, *dma).channelCycles;
  const kernels::Kernel *kernel = kernels::findKernel(command);
  return kernel && kernel->check(target, command).isOk() ? kernel->cost(target, command).cycles : 0;
}

} // namespace avocet::compiler
