//===- BlockChoice.h - The best block of a MAC command ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of its output that a MAC command holds in the accumulators at a time. The choice decides how often weights
// are decoded again and inputs read again; it minimizes the command's own cycles while off-chip transfers use the SRAM
// port (lib/cost/BlockWalk.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_BLOCKCHOICE_H
#define AVOCET_KERNELS_BLOCKCHOICE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/Kernel.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace avocet::kernels {

/// Bytes that one channel loads from off-chip memory, or stores to it, while no other channel uses the port. A channel
/// waits for an answer when it has dma.outstandingBytes in flight, so it moves at most that many bytes in the latency
/// of off-chip memory, however fast the port is.
firmware::Rate channelLoadRate(const firmware::Target &target);
firmware::Rate channelStoreRate(const firmware::Target &target);

/// Channels among which loads are spread: 1 if one saturates the port, else as many as do, at most all. If there are
/// several, stores are spread too.
uint32_t loadChannels(const firmware::Target &target);

/// What these channels load or store together.
firmware::Rate loadRate(const firmware::Target &target);
firmware::Rate storeRate(const firmware::Target &target);

struct BlockChoice {
  firmware::Block block;
  uint64_t cycles = 0;     ///< uncontended cycles of the command with that block
  uint64_t fillCycles = 0; ///< part of them, before the first block computes: a command may fill while another computes
  uint64_t drainCycles = 0;      ///< part of them, after the last block has been computed
  uint64_t outputCycles = 0;     ///< in which the output stage works
  uint64_t lastCycles = 0;       ///< in which the last block computes; the next command can fill in this time
  uint64_t portBytes = 0;        ///< that the SRAM port moves
  uint64_t edgeBytes = 0;        ///< part of them, while the command fills or drains
  uint64_t sharedBusyCycles = 0; ///< between fill and drain, while off-chip transfers use the port at their full rate
};

/// What a command has of the SRAM port: what off-chip transfers leave of it, or half of it while the DSP works as well.
enum class PortUse : uint8_t { WithTransfers, Half };

/// What transfers of one channel at its full rate leave of the SRAM port, at least half of it: each requester gets its
/// share.
firmware::Rate sharedPort(const firmware::Target &target);

/// Whether input block and accumulators fit the array's buffer, and the block the target's largest block. False for
/// commands that do not run on the MAC array.
bool blockFits(const firmware::Target &target, const firmware::CommandBody &command);

/// The block with the fewest cycles among the candidates, while off-chip transfers use the SRAM port at their full
/// rate; the block in the command is ignored. Depends only on shapes, types and layout (packed or not), never on
/// addresses: equal commands get equal results in every run. Commands that do not run on the MAC array get {1, 1, 1}
/// and 0 cycles.
BlockChoice chooseBlock(const firmware::Target &target, const firmware::CommandBody &command);

/// The times of a command with its own block; 0 cycles if the command does not run on the MAC array.
BlockChoice timesOfBlock(const firmware::Target &target, const firmware::CommandBody &command);

/// Factors for the extents of a block, as powers of two.
struct BlockShift {
  int8_t height = 0, width = 0, channels = 0;
  bool operator==(const BlockShift &) const = default;
};

/// The command's block with other extents, rounded up to the array's steps and limited by the command. Cycles are 0 if
/// that is the same block, if it does not fit, or if the command does not run on the MAC array.
BlockChoice resizeBlock(const firmware::Target &target, const firmware::CommandBody &command, const BlockShift &shift);

/// This block, cut to the command's output. Cycles are 0 if it does not fit, or if the command does not run on the MAC
/// array.
BlockChoice fixedBlock(const firmware::Target &target, const firmware::CommandBody &command,
                       const firmware::Block &block);

/// The output of a command of the MAC array as one block, and the extents of which the array makes whole multiples;
/// {1, 1, 1} for other commands.
firmware::Block wholeBlock(const firmware::Target &target, const firmware::CommandBody &command);
firmware::Block blockStep(const firmware::Target &target, const firmware::CommandBody &command);

/// Blocks of all columns, for commands whose rows are read by the next command: even splits of the rows into at most
/// four parts, with as many channels as fit, and with half of them. None for commands that do not run on the MAC array.
std::vector<BlockChoice> rowBlocks(const firmware::Target &target, const firmware::CommandBody &command);

/// A block with its walk.
struct WalkedBlock {
  BlockChoice choice;
  std::vector<BlockRun> runs;
};

/// chooseBlock() with a cache of its results. One per compilation; not thread-safe.
class BlockChooser {
public:
  explicit BlockChooser(std::shared_ptr<const firmware::Target> target);
  ~BlockChooser();
  /// `use`: what the block is chosen for; the times are uncontended.
  BlockChoice choose(const firmware::CommandBody &command, PortUse use = PortUse::WithTransfers);
  /// The answer of choose(), then the fastest few of rowBlocks(), without those that are much slower. Empty for
  /// commands that do not run on the MAC array. Valid until the next call.
  const std::vector<WalkedBlock> &alternatives(const firmware::CommandBody &command);

  /// Takes over the answers that a chooser for the same target remembers.
  void absorb(BlockChooser &other);

private:
  struct Memory;
  std::shared_ptr<const firmware::Target> target_;
  std::unique_ptr<Memory> memory_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_BLOCKCHOICE_H
