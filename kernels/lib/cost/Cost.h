//===- Cost.h - Tile timing of the kernels ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementation of Kernel::cost() of all kernels. Timing is separate from arithmetic: a kernel describes the work of a
// command, and these functions compute how long the engine takes for it. All require Kernel::check() to have passed.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COST_COST_H
#define AVOCET_KERNELS_LIB_COST_COST_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/Kernel.h"

#include <cstdint>

namespace avocet::kernels {

/// The work of a vector DSP command, as its kernel counts it.
struct DspWork {
  uint64_t elementOps = 0;   ///< lane operations: elements times vector instructions per element
  uint64_t byteProducts = 0; ///< products of two 8-bit numbers with their addition to 32-bit sums, in the lanes of i8
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  uint64_t rows = 0;                                  ///< inner loops started
  firmware::DataType type = firmware::DataType::Int8; ///< decides the number of lanes
};

TileCost convCost(const firmware::Target &target, const firmware::ConvCommand &command);
TileCost poolCost(const firmware::Target &target, const firmware::PoolCommand &command);
TileCost eltwiseCost(const firmware::Target &target, const firmware::EltwiseCommand &command);
TileCost lookupCost(const firmware::Target &target, const firmware::LookupCommand &command);
TileCost dspCost(const firmware::Target &target, const firmware::DspCommand &command, const DspWork &work);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COST_COST_H
