//===- TileCommand.h - The command of one tile ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills in the fields that placement leaves empty: shapes, rows of rings, offsets of constants and the block.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOMMAND_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOMMAND_H

#include "RowFlow.h"
#include "Sequence.h"
#include "avocet/kernels/BlockChoice.h"

namespace avocet::compiler::schedule {

/// The part of an operation's output that one command makes.
struct Tile {
  uint32_t operation = 0;
  Rows rows;
  uint32_t channelsBegin = 0, channelsEnd = 0; ///< convolutions only; other operations make all channels
};

/// Where an operand is in its buffer: its row y is row (y + firstRow) % ringRows from byte `offset` on.
struct MapPlace {
  uint32_t ringRows = 0, firstRow = 0;
  uint64_t offset = 0;
  uint32_t rowStride = 0, pixelStride = 0;
};

/// The operand dense in a buffer of its own that has `ringRows` of its rows.
MapPlace densePlace(const MapShape &shape, uint32_t ringRows);
/// The operand in a buffer that has the whole tensor.
MapPlace wholePlace(const Operand &operand);
/// The operand in a buffer that has `ringRows` rows of its tensor.
MapPlace ringPlace(const MapShape &tensor, const Operand &operand, uint32_t ringRows);

/// The places of a tile's operands; those of constants are dense.
struct TilePlaces {
  std::vector<MapPlace> inputs, outputs;
};

/// Offsets of a convolution's constants in their buffer.
struct ConstantOffsets {
  uint32_t records = 0, weights = 0, table = 0;
  std::vector<uint32_t> inputs; ///< by input; of constant operands
};

/// The command with all shapes and with addresses relative to the operands' buffers. The block is not yet set.
firmware::CommandBody tileCommand(const Problem &problem, const Tile &tile, const TilePlaces &places,
                                  const ConstantOffsets &constants);

/// Sets the block of a command of `op` for its part of the port; returns the command's time.
StepTime chooseBlock(kernels::BlockChooser &chooser, const firmware::Target &target, const Operation &op,
                     firmware::CommandBody &command, kernels::PortUse use = kernels::PortUse::WithTransfers);

/// The time of a command with the block that it has.
StepTime timeOf(const firmware::Target &target, const firmware::CommandBody &command);

/// Blocks to choose from if the tiles before and after it count: that of chooseBlock() first.
const std::vector<kernels::WalkedBlock> &chainedBlocks(kernels::BlockChooser &chooser, const Operation &op,
                                                       const firmware::CommandBody &command);

/// Sets a block; returns the command's time with it.
StepTime setBlock(const kernels::BlockChoice &choice, firmware::CommandBody &command);

/// Changes the block that chooseBlock() has set, and the time with it, if the other block fits.
void shiftBlock(const firmware::Target &target, const kernels::BlockShift &shift, firmware::CommandBody &command,
                StepTime &time);

/// Changes them if the problem's pins have a block for the operation.
void pinBlock(const Problem &problem, uint32_t operation, firmware::CommandBody &command, StepTime &time);

/// The same with every tensor whole in its own buffer, for results that do not depend on addresses.
firmware::CommandBody unplacedCommand(const Problem &problem, const Tile &tile);

/// The command over whole tensors, for the roofline and for checks of legality.
firmware::CommandBody wholeCommand(const Problem &problem, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOMMAND_H
