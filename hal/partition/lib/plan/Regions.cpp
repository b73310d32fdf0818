//===- Regions.cpp - Transfers in the choice of devices -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Regions.h"

#include "plan/Work.h"

#include <algorithm>
#include <map>
#include <set>

namespace avocet::hal::partition {
namespace {

using Devices = std::vector<std::optional<size_t>>;

/// A value that one operation writes and another reads.
struct Link {
  size_t neighbor;
  double time; ///< if the two are on different devices
};

/// The links of each operation, in both directions; none if a size is unknown.
using Links = std::vector<std::optional<std::vector<Link>>>;

void link(Links &links, size_t operation, size_t neighbor, const std::optional<double> &time) {
  if (!time)
    links[operation].reset();
  else if (links[operation])
    links[operation]->push_back({neighbor, *time});
}

Links linksOf(const Subgraph &subgraph) {
  Links links(subgraph.operations.size(), std::vector<Link>());
  std::map<uint32_t, size_t> writers;
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    for (const uint32_t output : subgraph.operations[i].outputs)
      writers[output] = i;
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    for (const uint32_t input : std::set(subgraph.operations[i].inputs.begin(), subgraph.operations[i].inputs.end()))
      if (const auto writer = writers.find(input); writer != writers.end()) {
        const std::optional<double> time = transferTime(subgraph.operands[input]);
        link(links, i, writer->second, time);
        link(links, writer->second, i, time);
      }
  return links;
}

class RegionMoves {
public:
  RegionMoves(const Model &model, const OperationTimes &times, Devices &devices)
      : times_(times), devices_(devices), links_(linksOf(model.main)) {
    for (const Operation &operation : model.main.operations)
      isKnown_.push_back(processorTime(model.main, operation).has_value());
  }

  void run() {
    // Each move shortens the run, so they end; the limit bounds the time for a large model.
    constexpr int kMostMoves = 256;
    for (int moves = 0; moves < kMostMoves; ++moves) {
      const std::optional<Move> move = bestMove();
      if (!move)
        return;
      for (const size_t operation : move->region)
        devices_[operation] = move->device;
    }
  }

private:
  struct Move {
    std::vector<size_t> region;
    size_t device;
    double saved;
  };

  /// The one that saves most; none if no move saves time.
  std::optional<Move> bestMove() const {
    std::optional<Move> best;
    std::vector<bool> isSeen(devices_.size());
    for (size_t i = 0; i < devices_.size(); ++i) {
      if (isSeen[i] || !devices_[i])
        continue;
      std::optional<Move> move = bestMoveOf(regionOf(i, isSeen));
      if (move && (!best || move->saved > best->saved))
        best = std::move(move);
    }
    return best;
  }

  std::vector<size_t> regionOf(size_t first, std::vector<bool> &isSeen) const {
    std::vector<size_t> region = {first};
    isSeen[first] = true;
    for (size_t next = 0; next < region.size(); ++next)
      if (links_[region[next]])
        for (const Link &each : *links_[region[next]])
          if (!isSeen[each.neighbor] && devices_[each.neighbor] == devices_[first]) {
            isSeen[each.neighbor] = true;
            region.push_back(each.neighbor);
          }
    return region;
  }

  /// To the neighboring device with which the run is shortest, if shorter than now.
  std::optional<Move> bestMoveOf(const std::vector<size_t> &region) const {
    const std::optional<size_t> now = devices_[region.front()];
    std::map<size_t, double> transfers; ///< by the device of the neighbors
    for (const size_t operation : region) {
      if (!links_[operation] || !isKnown_[operation])
        return std::nullopt;
      for (const Link &each : *links_[operation])
        if (const std::optional<size_t> other = devices_[each.neighbor]; other && other != now)
          transfers[*other] += each.time;
    }
    std::optional<Move> best;
    for (const auto &[device, time] : transfers)
      if (const std::optional<double> more = moreTime(region, *now, device);
          more && time - *more > (best ? best->saved : 0))
        best = Move{region, device, time - *more};
    return best;
  }

  /// How much longer the operations take elsewhere; none if the device does not support one of them.
  std::optional<double> moreTime(const std::vector<size_t> &region, size_t from, size_t to) const {
    double more = 0;
    for (const size_t operation : region) {
      if (!times_[to][operation])
        return std::nullopt;
      more += double(*times_[to][operation]) - double(*times_[from][operation]);
    }
    return more;
  }

  const OperationTimes &times_;
  Devices &devices_;
  const Links links_;
  std::vector<bool> isKnown_; ///< whether the extents of an operation are
};

} // namespace

void moveRegions(const Model &model, const OperationTimes &times, std::vector<std::optional<size_t>> &devices) {
  RegionMoves(model, times, devices).run();
}

} // namespace avocet::hal::partition
