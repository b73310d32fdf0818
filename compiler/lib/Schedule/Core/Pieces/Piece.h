//===- Piece.h - Operations cut into boxes ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that does not fit in whole rows is cut into pieces along any axes that its kernel allows. Operands stay
// in DRAM. The DMA copies the box that a piece needs to SRAM, where it is dense, and copies the result's box back.
//
// A Splitter handles one kind of operation: it defines the axes along which the operation can be cut, and the piece for
// a range of each axis. splitOperation() chooses the cut for all kinds.
//
// If a result needs more than fits, its pieces hand over a state: a buffer in SRAM that each piece but the first reads.
// The pieces of one result follow each other; the last ones write the result.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PIECE_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PIECE_H

#include "Schedule/Core/Problem.h"
#include "avocet/firmware_iface/WindowInputs.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

/// Bytes of a dense tensor: runs, up to three counts deep, innermost first.
struct Box {
  uint64_t offset = 0;
  uint32_t runBytes = 0;
  std::array<uint32_t, 3> counts{1, 1, 1};
  std::array<uint64_t, 3> strides{};

  uint64_t runs() const { return uint64_t(counts[0]) * counts[1] * counts[2]; }
  uint64_t bytes() const { return runs() * runBytes; }
  bool operator==(const Box &) const = default;
};

/// What a piece does with the state of its group.
struct StateUse {
  uint64_t bytes = 0; ///< 0: the piece has no state
  bool isRead = false, isWritten = false;
};

/// One command on boxes of its operands. Its maps are dense, each at the start of a buffer. A state that is read is the
/// last input; a state that is written replaces the output.
struct Piece {
  struct Input {
    uint32_t operand = 0; ///< index in Operation::inputs
    Box box;
  };
  firmware::CommandBody command;
  std::vector<Input> inputs;                   ///< in the order of the command's maps
  Box output;                                  ///< of the first output; empty if the state is written
  uint32_t channelsBegin = 0, channelsEnd = 0; ///< output channels whose constants it needs
  StateUse state = {};
  std::vector<Box> moreOutputs = {}; ///< of the other outputs; none if there is a state
};

/// Steps [begin, end) along an axis.
struct Range {
  uint32_t begin = 0, end = 0;
  uint32_t count() const { return end - begin; }
};

/// Steps of the input that steps of the result need, and the remaining leading padding (WindowInputs.h).
struct Needed {
  Range range;
  uint32_t pad = 0;

  Needed(const firmware::WindowInputs &inputs)
      : range{uint32_t(inputs.begin), uint32_t(inputs.end)}, pad(uint32_t(inputs.pad)) {}
};

class Splitter {
public:
  virtual ~Splitter() = default;

  /// Extents of the axes that can be cut, outermost first.
  const std::vector<uint32_t> &extents() const { return extents_; }

  /// The largest steps of each axis in a piece.
  virtual std::vector<uint32_t> largest() const { return extents_; }

  /// Whether the commands offer no parts(), or too few, so that pieces have to be short enough for a yield after each.
  virtual bool limitsTime() const { return false; }

  /// The piece for a range of each axis; nullopt if an operand of it is not a box.
  virtual std::optional<Piece> piece(const std::vector<Range> &ranges) const = 0;

protected:
  std::vector<uint32_t> extents_;
};

/// The splitters that together make an operation, to be run in sequence; none if the operation cannot be cut.
using Splitters = std::vector<std::unique_ptr<Splitter>>;
/// Pieces without a state, or with one.
enum class Cut { Independent, WithState };
Splitters splittersOf(const Problem &problem, uint32_t operation, Cut cut);

/// The pieces of one splitter, in the order in which they run.
using PieceGroup = std::vector<Piece>;

struct Pieces {
  std::vector<PieceGroup> groups; ///< run in sequence, each with its own buffers
  uint32_t copies = 2;            ///< buffers per operand: two, so that transfers and computation overlap, or one
  uint64_t memory = 0;            ///< bytes of SRAM for all buffers
  uint64_t portCycles = 0;        ///< of the off-chip port
};

/// Cuts until `budget` bytes of SRAM are enough. Nullopt if that is impossible, or needs too many pieces.
std::optional<Pieces> splitOperation(const Problem &problem, uint32_t operation, uint64_t budget, Cut cut);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PIECE_H
