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
#include <vector>

namespace avocet::kernels {

/// Loops with a line in each lane: `nests` times, groups of `lines` lines, each with one inner loop of `ops` vector
/// instructions. A group takes all lanes, however few of them have a line.
struct LineLoops {
  uint64_t nests = 0, lines = 0, ops = 0;
};

/// The loops of a form of a vector DSP command.
struct DspLoops {
  uint64_t elementOps = 0;   ///< lane operations: elements times vector instructions per element
  uint64_t byteProducts = 0; ///< products of two 8-bit numbers with their addition to 32-bit sums, in the lanes of i8
  uint64_t rows = 0;         ///< inner loops started
  std::vector<LineLoops> lines = {};
  firmware::DataType type = firmware::DataType::Int8; ///< decides the number of lanes
};

/// The work of a vector DSP command, as its kernel counts it.
struct DspWork : DspLoops {
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  /// Groups in which the command reads its inputs and makes its results, each before it needs the next; 0: the rows of
  /// the first output.
  uint64_t groups = 0;
  /// Other forms of the same work: the kernel takes the one with the fewest cycles.
  std::vector<DspLoops> others = {};
};

TileCost convCost(const firmware::Target &target, const firmware::ConvCommand &command);
TileCost poolCost(const firmware::Target &target, const firmware::PoolCommand &command);
TileCost eltwiseCost(const firmware::Target &target, const firmware::EltwiseCommand &command);
TileCost lookupCost(const firmware::Target &target, const firmware::LookupCommand &command);
TileCost dspCost(const firmware::Target &target, const firmware::DspCommand &command, const DspWork &work);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COST_COST_H
