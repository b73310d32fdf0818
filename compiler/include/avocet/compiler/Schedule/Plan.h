//===- Plan.h - What the scheduler decides ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions of a schedule, before they become commands. A section is a contiguous range of operations that run in
// horizontal stripes: the last operation makes `stripeRows` rows at a time and every operation before it just the rows
// that are then missing, so that results which nobody outside the section reads live in rings of a few rows.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_PLAN_H
#define AVOCET_COMPILER_SCHEDULE_PLAN_H

#include "avocet/compiler/Schedule/Problem.h"

#include <cstdint>
#include <vector>

namespace avocet::compiler::schedule {

struct Section {
  uint32_t first = 0, end = 0; ///< operations [first, end)
  uint32_t stripeRows = 0;     ///< rows of the last operation's output per stripe, at least 1
  uint32_t channelParts = 1; ///< sections of one convolution: parts of the output channels, weights loaded part by part
  /// Operations before the last run one stripe ahead of their readers, so that no tile needs what the tile right before
  /// it makes; costs a stripe more of each ring.
  bool ahead = false;
  /// Not 0: sections of one operation that runs in pieces cut along any axes, with operands outside SRAM; the pieces may
  /// take so many bytes. Rows and parts do not matter then.
  uint64_t pieceBytes = 0;
  bool operator==(const Section &) const = default;
};

/// Where a tensor lives between the sections that write and read it.
enum class Home : uint8_t {
  Ring, ///< only inside one section, in a ring of rows
  Sram, ///< wholly in SRAM
  Dram, ///< network input, network output or scratch; sections that touch it stage it through a ring of rows
};

struct Plan {
  std::vector<Section> sections; ///< cover all operations in order
  std::vector<Home> homes;       ///< by tensor
};

/// The homes that go with sections when nothing is spilled: Ring for what one section alone writes and reads, Dram for
/// network inputs and for network outputs that nobody reads elsewhere, Sram for the rest.
std::vector<Home> homesOf(const Problem &problem, const std::vector<Section> &sections);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_PLAN_H
