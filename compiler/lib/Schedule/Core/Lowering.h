//===- Lowering.h - From decisions to commands ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a plan into a sequence. Each cascade's flow becomes tiles; loads are placed just before the tile that needs
// them, stores just after the tile that made them. Later passes only move transfers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_LOWERING_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_LOWERING_H

#include "Plan.h"
#include "Sequence.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/BlockChoice.h"

namespace avocet::compiler::schedule {

class TileCutter;

/// Requires a checked problem and a plan for it.
Sequence lowerPlan(const Problem &problem, const Plan &plan, kernels::BlockChooser &chooser, TileCutter &cutter);

/// Alignment of buffers and of segments inside constants buffers: widest element, and the grain of every port.
inline constexpr uint64_t kAlignment = 16;
inline uint64_t alignUp(uint64_t bytes) { return roundUp(bytes, kAlignment); }

/// Bytes of SRAM for the constants of output channels [begin, end) of an operation (for all of them, if it has no
/// channels).
uint64_t constantBytes(const Problem &problem, const Operation &op, uint32_t begin, uint32_t end);

/// Half of the SRAM port if the cascade's stripes run on both engines at the same time.
kernels::PortUse portUse(const Problem &problem, const Cascade &cascade);

/// First channel of part `part` of `parts`, a multiple of the granule.
uint32_t channelOfPart(const Operation &op, uint32_t part, uint32_t parts);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_LOWERING_H
