//===- BlockWalk.h - Time of a MAC command, block by block ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array computes its output block by block: channels innermost, then columns, then rows. For a block of h x w x c
// outputs (smaller at the edges):
//
//   array cycles   = rows * ceil(w / step.width) * granules * stepCycles, of the busiest core
//                    rows = ceil(h / step.height), granules = ceil(c / step.channels); the cores split a block by
//                    output channels or by rows, so that one of the two is divided by their number and rounded up
//                    stepCycles = ceil(products of one output / step.products) * step.cycles * slowdown of the type
//   decode cycles  = ceil(weights of that core's channels / decode rate): the array keeps no weights, so that each
//                    spatial block reads and decodes them again
//   compute cycles = the larger of the two, with the split that takes less; element-wise commands: elements at their
//                    rate
//   output cycles  = elements at the rate of the output stage
//   input bytes    = the input windows of the block (halo included; padding and positions that a wide stride skips
//                    excluded)
//   weight bytes   = weights and records of its channels; a look-up table with the first block of each place; the
//                    addend's elements of a residual addition, at the positions of its outputs
//   store bytes    = its outputs
//
// A place is a spatial block with all its channel blocks. A dense block needs all input channels. The array sums slice
// by slice, step.products input channels each. It starts with the first slice (`loadBytes`) while the others follow
// (`streamBytes`). If the whole depth of the window fits the buffer twice beside two sets of accumulators, it is read
// once and stays for all channel blocks of its place (`resident`). Otherwise it is streamed again for each of them.
// Other commands read only the channels of the block, all of them before they start.
//
// The port moves whole grains: min(port width, burst) bytes; each contiguous piece is rounded up to them.
//
// Uncontended cycles of the command: load, compute and output of neighboring blocks overlap and share the port. A
// place (all channel blocks of one spatial block) therefore takes the largest of its compute cycles, output cycles and
// port bytes / port width. Issue + SRAM latency + the first block's load come first; pipeline + the last block's output
// or store, the longer of them, come last. These two are not counted in their places again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COST_BLOCKWALK_H
#define AVOCET_KERNELS_LIB_COST_BLOCKWALK_H

#include "MacTask.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"

#include <array>
#include <span>

namespace avocet::kernels {

class BlockWalk {
public:
  /// `block` may be any block with extents of 1 or more; extents beyond the output's are cut. `target` and `task` must
  /// live as long as the walk.
  BlockWalk(const firmware::Target &target, const MacTask &task, const firmware::Block &block);
  /// With another rate of the SRAM port: what others leave of it.
  BlockWalk(const firmware::Target &target, const MacTask &task, const firmware::Block &block, firmware::Rate port);

  /// Whether input slices and accumulators, both double, fit the array's buffer and the block the largest block.
  bool fitsBuffer() const { return fits_; }
  /// Whether a dense input block stays in the buffer for all channel blocks of its place.
  bool resident() const { return resident_; }

  /// Cycles of the command with that rate of the port.
  uint64_t cycles() const;
  /// Cycles of the array's steps alone: at most cycles(), and much faster to compute.
  uint64_t leastCycles() const;
  /// The times of a choice, without its block.
  BlockChoice times() const;
  /// The blocks in walking order, runs of equal ones merged. Commands of more than kMaxPlaces places (no compiled
  /// network has them) give one averaged run, so that a hostile command cannot use up the host's memory.
  std::vector<BlockRun> runs() const;

  static constexpr uint64_t kMaxPlaces = 1 << 14;

private:
  /// Rows or columns of the command: its outputs, and their position over the input.
  struct Axis {
    uint64_t outputs, stride, pad, reach, inputs;
    uint64_t inputsEnd(uint64_t outputsEnd) const; ///< inputs that the outputs before outputsEnd read: [0, n)
  };
  /// One class of equal rows (or columns) of blocks.
  struct Span {
    uint64_t count = 0;   ///< rows of blocks in the class
    uint64_t outputs = 0; ///< output rows of each
    uint64_t inputs = 0;  ///< input rows that each reads
    bool hasExtentsOf(const Span &other) const { return outputs == other.outputs && inputs == other.inputs; }
  };
  using Spans = std::array<Span, 3>; ///< first, inner, last

  /// All channel blocks of one place together, and the additional cost of its first and last block.
  struct Place {
    uint64_t portBytes = 0, computeCycles = 0, outputCycles = 0, turnaround = 0;
    uint64_t firstLoadBytes = 0;
    uint64_t lastTurnaround = 0;
    uint64_t lastComputeCycles = 0;
    uint64_t lastOutputCycles = 0, lastStoreBytes = 0;
  };

  struct Totals {
    Place first, last;
    uint64_t steadyCycles = 0; ///< between the load of the first block and the output of the last one
    uint64_t portBytes = 0, outputCycles = 0;
  };

  /// What the busiest core does of a block.
  struct CoreShare {
    uint64_t steps = 0;    ///< in each column of steps
    uint64_t channels = 0; ///< whose weights it decodes
  };

  static Spans spansOf(const Axis &axis, uint32_t block);
  bool fits(uint64_t inputChannels) const;
  uint64_t coreChannels(uint64_t channels) const;
  uint64_t inputChannelsOf(const MacInput &input, uint32_t channels) const;
  uint64_t inputBytes(const Span &row, const Span &column, uint32_t channels, uint64_t depth) const;
  uint64_t alignedBytes(const Span &row, const Span &column, uint32_t channels, bool packed,
                        uint32_t elementBytes) const;
  CoreShare shareOfChannels(const Span &row, uint32_t channels) const;
  CoreShare shareOfRows(const Span &row, uint32_t channels) const;
  uint64_t computeCycles(const Span &row, const Span &column, uint32_t channels) const;
  BlockRun blockOf(const Span &row, const Span &column, uint32_t channels, bool firstOfPlace) const;
  uint64_t turnaroundOf(const BlockRun &block) const;
  Place placeOf(const Span &row, const Span &column) const;
  std::array<Place, 3> placesIn(const Span &row) const;
  Totals totals() const;
  uint64_t fillOf(const Place &first) const;
  uint64_t drainOf(const Place &last) const;
  uint64_t roundToGrain(uint64_t bytes) const { return (bytes + grain_ - 1) & ~(grain_ - 1); }
  uint64_t portCycles(uint64_t bytes) const;
  void appendPlace(const Span &row, const Span &column, std::vector<BlockRun> &runs) const;
  BlockRun averagedRun() const;

  const firmware::Target &target_;
  const MacTask &task_;
  firmware::Block block_;
  uint32_t channelBlocks_ = 1; ///< per place
  uint32_t lastChannels_ = 1;  ///< channels of the last of them
  uint64_t grain_ = 1;         ///< a power of two, as port and burst are
  firmware::Rate port_;        ///< bytes of the SRAM port that the command can use
  Axis rowAxis_, columnAxis_;
  Spans rows_, columns_;
  bool fits_ = false;
  bool resident_ = false;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COST_BLOCKWALK_H
