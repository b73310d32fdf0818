//===- Allocation.cpp - Addresses for blocks over time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocation.h"

#include "FirstFit.h"
#include "Schedule/Core/Sequence.h"
#include "avocet/base/Rounding.h"
#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace avocet::compiler::schedule {

std::optional<BufferBytes> piecewiseWrite(const firmware::CommandBody &command) {
  const auto *dma = std::get_if<firmware::DmaCommand>(&command);
  if (!dma || dma->count0 != 1 || dma->count1 != 1 || dma->count2 != 1)
    return std::nullopt;
  return BufferBytes{dma->destination.offset, dma->destination.offset + dma->runBytes};
}

std::vector<BufferBytes> BufferUse::begin(uint64_t size, const std::optional<BufferBytes> &written) {
  if (isWhole_)
    return {};
  isWhole_ = !written;
  BufferBytes range = written.value_or(BufferBytes{0, size});
  range.end = std::min(range.end, size);
  std::vector<BufferBytes> fresh;
  auto next = used_.upper_bound(range.begin);
  uint64_t at = range.begin;
  if (next != used_.begin())
    at = std::max(at, std::prev(next)->second);
  for (; at < range.end; ++next) {
    const uint64_t end = next == used_.end() ? range.end : std::min(range.end, next->first);
    if (at < end)
      fresh.push_back({at, end});
    if (next == used_.end())
      break;
    at = std::max(at, next->second);
  }
  for (const BufferBytes &bytes : fresh)
    used_.emplace(bytes.begin, bytes.end);
  return fresh;
}

std::vector<Lifetime> lifetimesOf(const Sequence &sequence) {
  std::vector<Lifetime> lifetimes(sequence.buffers.size());
  for (uint32_t step = 0; step < sequence.steps.size(); ++step)
    for (uint32_t buffer : sequence.steps[step].buffers) {
      Lifetime &lifetime = lifetimes[buffer];
      lifetime.first = std::min(lifetime.first, step);
      lifetime.last = step;
    }
  return lifetimes;
}

namespace {

/// Indices of the blocks by start time; larger blocks first among equals.
std::vector<uint32_t> byStart(const std::vector<Block> &blocks) {
  std::vector<uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(blocks[a].first, blocks[b].bytes, a) < std::tuple(blocks[b].first, blocks[a].bytes, b);
  });
  return order;
}

/// Advances through time with the set of live blocks by address; best fit among the gaps.
class TimeSweep {
public:
  explicit TimeSweep(const AllocationProblem &problem) : problem_(problem), addresses_(problem.blocks.size(), 0) {}

  bool run() {
    for (uint32_t index : byStart(problem_.blocks)) {
      if (isCancelled())
        return false;
      const Block &block = problem_.blocks[index];
      expire(block.first);
      std::optional<uint64_t> address = block.pinned ? block.pinned : bestGap(block.bytes);
      if (!address)
        return false;
      addresses_[index] = *address;
      live_[*address] = *address + block.bytes;
      ends_.emplace(block.last, *address);
    }
    return problem_.verify(addresses_).isOk();
  }

  std::vector<uint64_t> take() { return std::move(addresses_); }

private:
  void expire(uint32_t now) {
    while (!ends_.empty() && ends_.begin()->first < now) {
      live_.erase(ends_.begin()->second);
      ends_.erase(ends_.begin());
    }
  }

  std::optional<uint64_t> bestGap(uint64_t bytes) const {
    std::optional<uint64_t> best;
    uint64_t bestSize = UINT64_MAX, cursor = 0;
    auto consider = [&](uint64_t end) {
      uint64_t begin = roundUp(cursor, problem_.alignment);
      if (begin + bytes <= end && end - begin < bestSize)
        best = begin, bestSize = end - begin;
    };
    for (auto [begin, end] : live_) {
      consider(begin);
      cursor = std::max(cursor, end);
    }
    consider(problem_.capacity);
    return best;
  }

  const AllocationProblem &problem_;
  std::vector<uint64_t> addresses_;
  std::map<uint64_t, uint64_t> live_;      ///< begin to end
  std::multimap<uint32_t, uint64_t> ends_; ///< last time to begin
};

/// Places one block after the other, each at the lowest address that is free for its whole time range: the largest
/// first. A block that finds no place goes before all others that failed less often, and the next round begins
/// ("squeaky wheel" optimization).
class Priorities {
public:
  explicit Priorities(const AllocationProblem &problem)
      : problem_(problem), addresses_(problem.blocks.size(), 0), failures_(problem.blocks.size(), 0) {}

  bool run(uint32_t rounds) {
    std::vector<uint32_t> order = byStart(problem_.blocks);
    for (uint32_t round = 0; round < rounds && !isCancelled(); ++round) {
      std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const Block &x = problem_.blocks[a], &y = problem_.blocks[b];
        return std::tuple(!x.pinned, failures_[b], y.bytes, x.first, a) <
               std::tuple(!y.pinned, failures_[a], x.bytes, y.first, b);
      });
      const uint32_t failed = place(order);
      if (failed == kNoBlock)
        return problem_.verify(addresses_).isOk();
      if (problem_.blocks[failed].pinned)
        return false;
      ++failures_[failed];
    }
    return false;
  }

  std::vector<uint64_t> take() { return std::move(addresses_); }

private:
  static constexpr uint32_t kNoBlock = UINT32_MAX;

  /// The first block without a place.
  uint32_t place(const std::vector<uint32_t> &order) {
    FirstFit map(problem_);
    for (uint32_t index : order) {
      if (isCancelled())
        return index;
      const Block &block = problem_.blocks[index];
      std::optional<uint64_t> address = block.pinned ? block.pinned : map.lowest(block);
      if (!address)
        return index;
      map.add(block, *address);
      addresses_[index] = *address;
    }
    return kNoBlock;
  }

  const AllocationProblem &problem_;
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> failures_; ///< by block
};

std::string nameOf(size_t block) { return "block " + std::to_string(block); }

} // namespace

Status AllocationProblem::check() const {
  if (alignment == 0)
    return invalidArgument("allocation: alignment is 0");
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block &b = blocks[i];
    if (b.bytes == 0 || b.first > b.last)
      return invalidArgument(nameOf(i) + " is empty or ends before it starts");
    if (b.bytes > capacity)
      return invalidArgument(nameOf(i) + " has " + std::to_string(b.bytes) + " bytes, the capacity is " +
                             std::to_string(capacity));
    if (b.pinned && (*b.pinned > capacity - b.bytes || *b.pinned % alignment))
      return invalidArgument(nameOf(i) + " is pinned outside the capacity or misaligned");
  }
  return Status::ok();
}

Status AllocationProblem::verify(const std::vector<uint64_t> &addresses) const {
  if (addresses.size() != blocks.size())
    return internalError("allocation: the answer has another number of blocks");
  std::map<uint64_t, uint32_t> live; ///< address to block
  std::multimap<uint32_t, uint32_t> ends;
  for (uint32_t i : byStart(blocks)) {
    const Block &b = blocks[i];
    if (addresses[i] > capacity || b.bytes > capacity - addresses[i] || addresses[i] % alignment ||
        (b.pinned && *b.pinned != addresses[i]))
      return internalError("allocation: " + nameOf(i) + " leaves the capacity, is misaligned or left its pin");
    for (; !ends.empty() && ends.begin()->first < b.first; ends.erase(ends.begin()))
      live.erase(addresses[ends.begin()->second]);
    auto after = live.lower_bound(addresses[i]);
    if (after != live.end() && after->first < addresses[i] + b.bytes)
      return internalError("allocation: " + nameOf(i) + " overlaps " + nameOf(after->second));
    if (after != live.begin()) {
      auto before = std::prev(after);
      if (before->first + blocks[before->second].bytes > addresses[i])
        return internalError("allocation: " + nameOf(i) + " overlaps " + nameOf(before->second));
    }
    live[addresses[i]] = i;
    ends.emplace(b.last, i);
  }
  return Status::ok();
}

uint64_t AllocationProblem::pressure() const {
  std::multimap<uint32_t, uint64_t> ends;
  uint64_t now = 0, most = 0;
  for (uint32_t i : byStart(blocks)) {
    for (; !ends.empty() && ends.begin()->first < blocks[i].first; ends.erase(ends.begin()))
      now -= ends.begin()->second;
    uint64_t bytes = roundUp(blocks[i].bytes, alignment);
    now += bytes;
    ends.emplace(blocks[i].last, bytes);
    most = std::max(most, now);
  }
  return most;
}

Result<std::vector<uint64_t>> allocate(const AllocationProblem &problem, Preference preference) {
  AVOCET_RETURN_IF_ERROR(problem.check());
  constexpr uint32_t kRounds = 64;
  constexpr size_t kManyBlocks = 20'000; // quadratic in the worst case; so many blocks rarely fail by little
  const bool isSmall = problem.blocks.size() <= kManyBlocks;
  if (preference == Preference::LowPeaks && isSmall)
    if (Priorities priorities(problem); priorities.run(1))
      return priorities.take();
  if (TimeSweep sweep(problem); sweep.run())
    return sweep.take();
  if (isSmall)
    if (Priorities priorities(problem); priorities.run(problem.pressure() <= problem.capacity ? kRounds : 1))
      return priorities.take();
  return resourceExhausted("allocation: no place for all blocks in " + std::to_string(problem.capacity) +
                           " bytes; at one time " + std::to_string(problem.pressure()) + " are in use");
}

uint64_t peakOf(const AllocationProblem &problem, const std::vector<uint64_t> &addresses) {
  uint64_t peak = 0;
  for (size_t i = 0; i < addresses.size(); ++i)
    peak = std::max(peak, addresses[i] + problem.blocks[i].bytes);
  return peak;
}

} // namespace avocet::compiler::schedule
