//===- RingHistory.h - Outcomes of the jobs of a ring -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_RINGHISTORY_H
#define AVOCET_SIM_LIB_FIRMWARE_RINGHISTORY_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

namespace avocet::sim {

/// Records the outcome of jobs for dependencies. Sequences ascend in a ring, so that older outcomes need no list: a job
/// that was taken and has ended is complete unless it is a known fault. The latest kMaxEnds outcomes are kept. A job at
/// or before a fault that was dropped from the list no longer counts as complete.
class RingHistory {
public:
  static constexpr size_t kMaxEnds = 256;

  struct End {
    uint64_t sequence;
    uint64_t cycle;
    bool faulted;
  };

  void add(const End &end) {
    ends_.push_back(end);
    if (ends_.size() <= kMaxEnds)
      return;
    if (ends_.front().faulted)
      forgotten_ = std::max(forgotten_.value_or(0), ends_.front().sequence);
    lastForgottenCycle_ = ends_.front().cycle;
    ends_.pop_front();
  }

  /// The outcome of a job that is known to have ended; nothing: it is no longer on record.
  std::optional<End> find(uint64_t sequence) const {
    auto end = std::find_if(ends_.rbegin(), ends_.rend(), [&](const End &e) { return e.sequence == sequence; });
    if (end != ends_.rend())
      return *end;
    if (forgotten_ && sequence <= *forgotten_)
      return std::nullopt;
    return End{sequence, lastForgottenCycle_, false};
  }

private:
  std::deque<End> ends_;
  std::optional<uint64_t> forgotten_; ///< highest sequence of a fault that was dropped from ends_
  uint64_t lastForgottenCycle_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_RINGHISTORY_H
