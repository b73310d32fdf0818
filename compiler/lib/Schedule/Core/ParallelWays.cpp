//===- ParallelWays.cpp - Ways of all ranges, on threads ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelWays.h"

#include "avocet/compiler/Support/Cancel.h"

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace avocet::compiler::schedule {

namespace {

/// Operations of which no thread has begun. One thread takes the first and the other one the last, so that both end at
/// the same time, and only operations near their meeting point have tiles whose costs both compute.
class Rest {
public:
  explicit Rest(uint32_t count) : end_(count) {}
  std::optional<uint32_t> takeFirst() {
    const std::lock_guard lock(mutex_);
    return first_ < end_ ? std::optional(first_++) : std::nullopt;
  }
  std::optional<uint32_t> takeLast() {
    const std::lock_guard lock(mutex_);
    return first_ < end_ ? std::optional(--end_) : std::nullopt;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    end_ = first_;
  }

private:
  std::mutex mutex_;
  uint32_t first_ = 0, end_;
};

} // namespace

void findWaysInParallel(const Problem &problem, const TensorUses &uses, uint64_t budget, uint64_t leastAvoided,
                        CascadeWays &ways, TileCosts &costs) {
  const uint32_t count = uint32_t(problem.operations.size());
  if (count <= CascadeWays::kLongestCascade)
    return;
  Rest rest(count);
  TileCosts otherCosts(problem);
  CascadeWays otherWays(problem, uses, otherCosts, budget, leastAvoided);
  std::thread thread;
  try {
    thread = std::thread([&] {
      while (const std::optional<uint32_t> first = rest.takeLast())
        otherWays.findAll(*first);
    });
  } catch (const std::system_error &) {
    return; // the planner finds the ways when it asks for them
  }
  while (const std::optional<uint32_t> first = rest.takeFirst()) {
    if (isCancelled())
      rest.clear();
    ways.findAll(*first);
  }
  thread.join();
  ways.absorb(otherWays);
  costs.absorb(otherCosts);
}

} // namespace avocet::compiler::schedule
