//===- Search.cpp - Searches for the cause of a difference -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include <algorithm>
#include <map>
#include <optional>

namespace avocet::tool {
namespace {

using Part = std::vector<size_t>;

/// Equal pieces of a part, in order, the first ones longer by one if needed.
std::vector<Part> piecesOf(const Part &part, size_t count) {
  std::vector<Part> pieces;
  auto next = part.begin();
  for (size_t i = 0; i < count; ++i) {
    const size_t size = part.size() / count + (i < part.size() % count ? 1 : 0);
    pieces.emplace_back(next, next + static_cast<ptrdiff_t>(size));
    next += static_cast<ptrdiff_t>(size);
  }
  return pieces;
}

Part without(const Part &part, const Part &piece) {
  Part rest;
  std::ranges::set_difference(part, piece, std::back_inserter(rest));
  return rest;
}

class Minimizer {
public:
  explicit Minimizer(const std::function<Result<Verdict>(const Part &)> &judge) : judge_(judge) {}

  Result<Part> run(Part part) {
    for (size_t pieces = 2; part.size() > 1;) {
      AVOCET_ASSIGN_OR_RETURN(const std::optional<Smaller> smaller, findSmaller(part, pieces));
      if (!smaller && pieces >= part.size())
        break;
      if (smaller)
        part = smaller->part;
      pieces = !smaller ? 2 * pieces : smaller->isPiece ? 2 : std::max<size_t>(pieces - 1, 2);
      pieces = std::min(pieces, part.size());
    }
    return part;
  }

private:
  struct Smaller {
    Part part;
    bool isPiece; ///< otherwise all but one piece
  };

  Result<std::optional<Smaller>> findSmaller(const Part &part, size_t count) {
    const std::vector<Part> pieces = piecesOf(part, count);
    for (const bool isPiece : {true, false})
      for (const Part &piece : pieces) {
        const Smaller smaller{isPiece ? piece : without(part, piece), isPiece};
        AVOCET_ASSIGN_OR_RETURN(const bool bad, isBad(smaller.part));
        if (bad)
          return std::optional(smaller);
      }
    return std::optional<Smaller>();
  }

  Result<bool> isBad(const Part &part) {
    const auto known = judged_.find(part);
    if (known != judged_.end())
      return known->second;
    AVOCET_ASSIGN_OR_RETURN(const Verdict verdict, judge_(part));
    return judged_[part] = verdict == Verdict::Bad;
  }

  const std::function<Result<Verdict>(const Part &)> &judge_;
  std::map<Part, bool> judged_;
};

} // namespace

Result<Change> findChange(Change ends, const std::function<Result<Verdict>(size_t)> &judge) {
  std::vector<bool> isUnknown(ends.bad + 1);
  while (ends.bad - ends.good > 1) {
    const size_t middle = ends.good + (ends.bad - ends.good) / 2;
    const auto distance = [middle](size_t position) { return std::max(position, middle) - std::min(position, middle); };
    std::optional<size_t> next; // of equally near ones the first
    for (size_t i = ends.good + 1; i < ends.bad; ++i)
      if (!isUnknown[i] && (!next || distance(i) < distance(*next)))
        next = i;
    if (!next)
      return ends;
    AVOCET_ASSIGN_OR_RETURN(const Verdict verdict, judge(*next));
    if (verdict == Verdict::Unknown)
      isUnknown[*next] = true;
    else
      (verdict == Verdict::Bad ? ends.bad : ends.good) = *next;
  }
  return ends;
}

Result<Part> findMinimalPart(size_t count, const std::function<Result<Verdict>(const Part &)> &judge) {
  Part all(count);
  for (size_t i = 0; i < count; ++i)
    all[i] = i;
  return Minimizer(judge).run(std::move(all));
}

} // namespace avocet::tool
