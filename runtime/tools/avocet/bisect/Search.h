//===- Search.h - Searches for the cause of a difference -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SEARCH_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SEARCH_H

#include "avocet/base/Status.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace avocet::tool {

enum class Verdict {
  Good,
  Bad,
  Unknown ///< the question has no answer for this candidate, which fails in another way
};

/// Two positions, the first Good, the second Bad. All between them are Unknown.
struct Change {
  size_t good = 0, bad = 0;
};

/// A change from Good to Bad among the positions from `good`, which is known as Good, to `bad`, known as Bad. Positions
/// may change several times; one of these changes is found. The same answers give the same result. Judges about
/// log2(bad - good) positions, and their neighbors if they are Unknown. An error of `judge` ends the search.
Result<Change> findChange(Change ends, const std::function<Result<Verdict>(size_t position)> &judge);

/// A part of the elements 0 to count - 1 that is Bad, and is not Bad without any one of its elements (Zeller's and
/// Hildebrandt's ddmin). All elements are known as Bad, none as Good. Parts are ascending, and none is judged twice.
Result<std::vector<size_t>>
findMinimalPart(size_t count, const std::function<Result<Verdict>(const std::vector<size_t> &part)> &judge);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SEARCH_H
