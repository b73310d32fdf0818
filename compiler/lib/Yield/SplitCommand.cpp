//===- SplitCommand.cpp - Long commands in pieces ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitCommand.h"

#include "CommandCosts.h"
#include "OutputPiece.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace avocet::compiler {
namespace {

using namespace firmware;

/// More pieces than this come only from extents that no real network has.
constexpr uint64_t kMaxPieces = 65536;

/// Some kernels repeat part of their work for each piece: weights that are read, loops over the whole input. All pieces
/// together may take one of these percentages of the whole command's cycles; the larger one only if it pays off.
constexpr uint64_t kMostTotals[] = {150, 200};

using Pieces = std::vector<CommandBody>;

class PartSplitter {
public:
  PartSplitter(CommandCosts &costs, const kernels::Kernel &kernel, uint64_t bound)
      : costs_(costs), kernel_(kernel), bound_(bound) {}

  Pieces run(const CommandBody &command) {
    Pieces best{command};
    uint64_t least = costOf(best);
    for (uint64_t total : kMostTotals) {
      if (longestOf(best) <= bound_)
        break;
      split(command, costs_.cycles(command) * total / 100);
      Pieces pieces = std::exchange(pieces_, {});
      if (const uint64_t cost = costOf(pieces); cost < least) {
        least = cost;
        best = std::move(pieces);
      }
    }
    return best;
  }

private:
  /// Splits the command such that the pieces together take at most `most` cycles.
  void split(const CommandBody &command, uint64_t most) {
    const uint64_t cycles = costs_.cycles(command);
    const uint32_t parts = cycles > bound_ && cycles / bound_ <= kMaxPieces ? kernel_.parts(command) : 1;
    const uint64_t each = parts > 1 ? partsOfPiece(command, parts, most) : parts;
    if (each >= parts)
      return pieces_.push_back(command);
    const double share = double(most) / double(totalOf(command, parts, each));
    for (const CommandBody &piece : inPiecesOf(command, parts, each))
      split(piece, static_cast<uint64_t>(double(costs_.cycles(piece)) * share));
  }

  /// Number of parts per piece: the most that stay within the bound, but not so few that the pieces cost too much.
  /// `parts` if there is no such number.
  uint64_t partsOfPiece(const CommandBody &command, uint64_t parts, uint64_t most) {
    uint64_t each = std::clamp<uint64_t>(parts * bound_ / costs_.cycles(command), 1, parts - 1);
    for (; each > 1; each = std::max<uint64_t>(1, each * 7 / 8)) // the first guess omits the overhead of each piece
      if (longestOf(command, parts, each) <= bound_)
        break;
    while (each < parts && totalOf(command, parts, each) > most)
      each *= 2;
    return each;
  }

  uint64_t longestOf(const CommandBody &command, uint64_t parts, uint64_t each) {
    return std::max(costOf(command, 0, each), costOf(command, each, std::min(each, parts - each)));
  }

  uint64_t longestOf(const Pieces &pieces) {
    uint64_t longest = 0;
    for (const CommandBody &piece : pieces)
      longest = std::max(longest, costs_.cycles(piece));
    return longest;
  }

  /// Total cycles of the pieces, plus the longest time that an urgent job waits for one of them.
  uint64_t costOf(const Pieces &pieces) {
    uint64_t total = 0;
    for (const CommandBody &piece : pieces)
      total += costs_.cycles(piece);
    return total + longestOf(pieces);
  }

  uint64_t totalOf(const CommandBody &command, uint64_t parts, uint64_t each) {
    uint64_t total = 0;
    for (uint64_t first = 0; first < parts; first += each)
      total += costOf(command, first, std::min(each, parts - first));
    return total;
  }

  uint64_t costOf(const CommandBody &command, uint64_t first, uint64_t count) {
    return costs_.cycles(kernel_.part(command, static_cast<uint32_t>(first), static_cast<uint32_t>(count)));
  }

  Pieces inPiecesOf(const CommandBody &command, uint64_t parts, uint64_t each) const {
    Pieces pieces;
    for (uint64_t first = 0; first < parts; first += each)
      pieces.push_back(
          kernel_.part(command, static_cast<uint32_t>(first), static_cast<uint32_t>(std::min(each, parts - first))));
    return pieces;
  }

  CommandCosts &costs_;
  const kernels::Kernel &kernel_;
  const uint64_t bound_;
  Pieces pieces_;
};

/// Splits a command along the axes that its kernel offers (Kernel::part), outermost first, until no piece exceeds the
/// bound or another split would cost more than it gains. A command that its kernel cannot divide stays whole.
Pieces splitByParts(CommandCosts &costs, const CommandBody &command, uint64_t bound) {
  const kernels::Kernel *kernel = kernels::findKernel(command);
  if (!kernel || !kernel->check(costs.target(), command).isOk())
    return {command};
  return PartSplitter(costs, *kernel, bound).run(command);
}

} // namespace

namespace {

class DmaSplitter {
public:
  DmaSplitter(const Target &target, uint64_t bound) : target_(target), bound_(bound) {}

  std::vector<CommandBody> run(const DmaCommand &dma) {
    split(dma);
    return std::move(pieces_);
  }

private:
  void split(const DmaCommand &dma) {
    const uint64_t wanted = divideUp(engineCycles(target_, dma), bound_);
    if (wanted <= 1 || wanted > kMaxPieces)
      return pieces_.push_back(dma);
    if (dma.count2 > 1)
      return splitCount(dma, wanted, &DmaCommand::count2, &DmaEnd::stride2);
    if (dma.count1 > 1)
      return splitCount(dma, wanted, &DmaCommand::count1, &DmaEnd::stride1);
    if (dma.count0 > 1)
      return splitCount(dma, wanted, &DmaCommand::count0, &DmaEnd::stride0);
    splitRun(dma, wanted);
  }

  /// Pieces with few of the outer rows may still be too long.
  void splitCount(const DmaCommand &dma, uint64_t wanted, uint32_t DmaCommand::*count, uint32_t DmaEnd::*stride) {
    const uint64_t all = dma.*count, each = std::max<uint64_t>(1, all / wanted);
    for (uint64_t first = 0; first < all; first += each) {
      DmaCommand piece = dma;
      piece.*count = static_cast<uint32_t>(std::min(each, all - first));
      piece.source.offset += first * dma.source.*stride;
      piece.destination.offset += first * dma.destination.*stride;
      split(piece);
    }
  }

  void splitRun(const DmaCommand &dma, uint64_t wanted) {
    const uint64_t burst = target_.dram().burstBytes, each = roundUp(divideUp(dma.runBytes, wanted), burst);
    for (uint64_t first = 0; first < dma.runBytes; first += each) {
      DmaCommand piece = dma;
      piece.runBytes = static_cast<uint32_t>(std::min(each, dma.runBytes - first));
      piece.source.offset += first;
      piece.destination.offset += first;
      pieces_.push_back(piece);
    }
  }

  const Target &target_;
  const uint64_t bound_;
  std::vector<CommandBody> pieces_;
};

struct BlockOf {
  Block *operator()(auto &command) const {
    if constexpr (requires { command.block; })
      return &command.block;
    return nullptr;
  }
};

/// One step of a split.
struct Cut {
  Axis axis;
  bool wholeBlocks; ///< pieces are no smaller than the command's block
};

/// Splits a command's output along one axis into pieces of equal extent.
class AxisSplitter {
public:
  AxisSplitter(CommandCosts &costs, const CommandBody &command, Cut cut, uint64_t bound)
      : costs_(costs), command_(command), axis_(cut.axis), wholeBlocks_(cut.wholeBlocks),
        extent_(outputExtent(command, cut.axis)), bound_(bound) {}

  /// Pieces within the bound, or the smallest useful ones. Empty if the command cannot be split.
  std::vector<CommandBody> run(uint64_t cycles) {
    const uint64_t least = std::min(extent_, leastExtent());
    uint64_t each = std::max(least, extent_ * bound_ / cycles);
    std::vector<CommandBody> pieces = inPiecesOf(each);
    // Each piece fills and drains the engine again, which the first guess omits.
    while (each > least && !pieces.empty() && longest(pieces) > bound_)
      pieces = inPiecesOf(each = std::max(least, std::min(each - 1, each * bound_ / longest(pieces))));
    return pieces;
  }

private:
  uint64_t leastExtent() const {
    CommandBody copy = command_;
    const Block *block = std::visit(BlockOf{}, copy);
    return wholeBlocks_ && block ? std::max<uint64_t>(stepExtent(), extentOf(*block)) : stepExtent();
  }

  /// A part smaller than an array step takes as long as a whole step.
  uint64_t stepExtent() const {
    const ArrayStep &step = costs_.target().mac().dense;
    if (axis_ == Axis::Channels)
      return uint64_t{step.channels} * costs_.target().mac().cores;
    return axis_ == Axis::Rows ? step.height : step.width;
  }

  uint64_t longest(const std::vector<CommandBody> &pieces) const {
    // The second piece has neither leading padding nor a smaller extent than the others.
    return costs_.cycles(pieces[pieces.size() > 2 ? 1 : 0]);
  }

  uint32_t extentOf(const Block &block) const {
    return axis_ == Axis::Rows ? block.height : axis_ == Axis::Columns ? block.width : block.channels;
  }

  std::vector<CommandBody> inPiecesOf(uint64_t each) const {
    std::vector<CommandBody> pieces;
    CommandBody copy = command_;
    const Block *block = std::visit(BlockOf{}, copy);
    const bool keepsBlock = !block || each >= extentOf(*block);
    if (block && keepsBlock)
      each = each / extentOf(*block) * extentOf(*block);
    each = std::max(each / stepExtent(), uint64_t{1}) * stepExtent();
    for (uint64_t first = 0; first < extent_; first += each) {
      auto piece = pieceOf(command_, axis_, static_cast<uint32_t>(first),
                           static_cast<uint32_t>(std::min(each, extent_ - first)));
      if (!piece)
        return {};
      if (!keepsBlock)
        *std::visit(BlockOf{}, *piece) = costs_.block(*piece);
      pieces.push_back(std::move(*piece));
    }
    return pieces;
  }

  CommandCosts &costs_;
  const CommandBody &command_;
  const Axis axis_;
  const bool wholeBlocks_;
  const uint64_t extent_;
  const uint64_t bound_;
};

using Pieces = std::vector<CommandBody>;

/// Appends the command in pieces along an axis if it is too long and can be split, else unchanged.
void splitAlong(CommandCosts &costs, const CommandBody &command, Cut cut, uint64_t bound, Pieces &pieces) {
  const uint64_t cycles = costs.cycles(command);
  Pieces parts;
  if (cycles > bound && cycles / bound <= kMaxPieces && canSplit(command, cut.axis))
    parts = AxisSplitter(costs, command, cut, bound).run(cycles);
  if (parts.empty())
    parts.push_back(command);
  std::move(parts.begin(), parts.end(), std::back_inserter(pieces));
}

/// Cost of a way to split, smaller is better: first the excess of its longest piece over the bound, then the total.
struct SplitCost {
  uint64_t excess = 0, total = 0;
  auto operator<=>(const SplitCost &) const = default;
};

SplitCost costOf(CommandCosts &costs, const Pieces &pieces, uint64_t bound) {
  SplitCost cost;
  for (const CommandBody &piece : pieces) {
    const uint64_t cycles = costs.cycles(piece);
    cost.excess = std::max(cost.excess, cycles > bound ? cycles - bound : 0);
    cost.total += cycles;
  }
  return cost;
}

/// Each piece reads its input and its weights again. Pieces by channels share the input and divide the weights, pieces
/// by rows and columns the reverse; the cheaper way depends on the command.
constexpr Cut kWays[][5] = {
    {{Axis::Rows, true}, {Axis::Columns, true}, {Axis::Channels, true}, {Axis::Rows, false}, {Axis::Columns, false}},
    {{Axis::Rows, true}, {Axis::Channels, true}, {Axis::Channels, false}, {Axis::Rows, false}, {Axis::Columns, false}},
    {{Axis::Channels, true}, {Axis::Rows, true}, {Axis::Columns, true}, {Axis::Channels, false}, {Axis::Rows, false}},
    {{Axis::Rows, false}, {Axis::Channels, true}, {Axis::Columns, false}, {Axis::Channels, false}, {Axis::Rows, false}},
};

Pieces splitAsIn(std::span<const Cut> way, CommandCosts &costs, const CommandBody &command, uint64_t bound) {
  Pieces pieces{command};
  for (Cut cut : way) {
    Pieces whole = std::exchange(pieces, {});
    for (const CommandBody &piece : whole)
      splitAlong(costs, piece, cut, bound, pieces);
  }
  return pieces;
}

} // namespace

std::vector<CommandBody> splitCommand(CommandCosts &costs, const CommandBody &command, uint64_t bound) {
  if (const auto *dma = std::get_if<DmaCommand>(&command))
    return DmaSplitter(costs.target(), bound).run(*dma);
  if (std::holds_alternative<DspCommand>(command))
    return splitByParts(costs, command, bound);
  Pieces best{command};
  if (costs.cycles(command) <= bound)
    return best;
  std::optional<uint32_t> &known = costs.splitWay(command, bound);
  if (known)
    return splitAsIn(kWays[*known], costs, command, bound);
  std::optional<SplitCost> least;
  for (uint32_t way = 0; way < std::size(kWays); ++way) {
    Pieces pieces = splitAsIn(kWays[way], costs, command, bound);
    if (SplitCost cost = costOf(costs, pieces, bound); !least || cost < *least) {
      least = cost;
      best = std::move(pieces);
      known = way;
    }
  }
  return best;
}

} // namespace avocet::compiler
