//===- FirstFit.h - The lowest free address during a time -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_FIRSTFIT_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_FIRSTFIT_H

#include "AddressRanges.h"
#include "Allocation.h"

#include <optional>

namespace avocet::compiler::schedule {

/// Finds places for the blocks of a problem, in any order. A tree of the times, whose nodes know the addresses that are
/// occupied during all of their time, and at any time of it: a query looks at few nodes, however many blocks live at
/// the same time.
class FirstFit {
public:
  explicit FirstFit(const AllocationProblem &problem);

  /// The lowest address that is free during the block's whole time; nothing: no place is left.
  std::optional<uint64_t> lowest(const Block &block) const;
  void add(const Block &block, uint64_t address);

private:
  struct Node {
    AddressRanges always, sometimes;
  };
  struct Span {
    size_t first, last; ///< times that are the first or last one of some block, by number
  };
  using Lists = std::vector<const AddressRanges *>;

  Span spanOf(const Block &block) const;
  void add(size_t node, Span ofNode, Span span, AddressRanges::Range range);
  void collect(size_t node, Span ofNode, Span span, Lists &lists) const;

  uint64_t capacity_, alignment_;
  std::vector<uint32_t> times_; ///< ascending
  std::vector<Node> nodes_;     ///< the halves of node N are 2 N and 2 N + 1; the whole is 1
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_FIRSTFIT_H
