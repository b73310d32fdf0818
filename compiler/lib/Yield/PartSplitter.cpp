//===- PartSplitter.cpp - Commands in the parts of their kernel -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartSplitter.h"

#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <utility>

namespace avocet::compiler {

using namespace firmware;

namespace {

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

} // namespace

Pieces splitByParts(CommandCosts &costs, const CommandBody &command, uint64_t bound) {
  const kernels::Kernel *kernel = kernels::findKernel(command);
  if (!kernel || !kernel->check(costs.target(), command).isOk())
    return {command};
  return PartSplitter(costs, *kernel, bound).run(command);
}

} // namespace avocet::compiler
