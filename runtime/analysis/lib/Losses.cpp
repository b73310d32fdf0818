//===- Losses.cpp - Why a network takes longer than its bound -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/Losses.h"

#include "avocet/analysis/CommandTraffic.h"

#include <algorithm>

namespace avocet::analysis {
namespace {

/// Off-chip bytes that moved in the cycles of each layer, for whichever layer; the last entry: in those of none. The
/// bytes of a transfer are spread evenly over its time.
std::vector<double> bytesInCycles(const runtime::TimeDivision &division, const CommandStreams &streams,
                                  const firmware::JobProfile &profile) {
  const std::vector<WayBytes> moved = commandTraffic(streams, profile);
  const std::vector<runtime::OwnedCycles> &owners = division.owners;
  std::vector<double> sums(division.layers.size());
  for (size_t i = 0; i < moved.size(); ++i) {
    const double bytes = moved[i][DramRead] + moved[i][DramWrite];
    const firmware::CommandSpan &span = profile.spans[i];
    if (bytes == 0 || span.startCycle == span.endCycle)
      continue;
    const double perCycle = bytes / static_cast<double>(span.endCycle - span.startCycle);
    auto owner = std::ranges::upper_bound(owners, span.startCycle, {}, &runtime::OwnedCycles::end);
    for (; owner != owners.end() && owner->start < span.endCycle; ++owner) {
      const uint64_t start = std::max(owner->start, span.startCycle), end = std::min(owner->end, span.endCycle);
      sums[std::min<size_t>(owner->layer, sums.size() - 1)] += perCycle * static_cast<double>(end - start);
    }
  }
  return sums;
}

/// Cycles of each row in which the limit works, at most the row's cycles.
std::vector<uint64_t> usedCycles(const Report &report, bool isPortLimit, const CommandStreams &streams,
                                 const firmware::JobProfile &profile, const firmware::Target &target) {
  std::vector<uint64_t> used(report.layers.size() + 1);
  if (!isPortLimit) {
    for (size_t i = 0; i < report.layers.size(); ++i)
      used[i] = std::min(report.layers[i].figures.cycles, report.layers[i].figures.computeCycles);
    return used;
  }
  const std::vector<double> bytes = bytesInCycles(runtime::divideTime(profile, report.layers.size()), streams, profile);
  const firmware::Rate rate = target.dram().bandwidth;
  const double needed = static_cast<double>(report.total.leastDramBytes) /
                        static_cast<double>(std::max<uint64_t>(1, report.total.dramBytes));
  for (size_t i = 0; i < used.size(); ++i) {
    const Figures &row = i < report.layers.size() ? report.layers[i].figures : report.withoutLayer;
    const double cycles =
        bytes[i] * std::min(1.0, needed) * static_cast<double>(rate.cycles) / static_cast<double>(rate.count);
    used[i] = std::min(row.cycles, static_cast<uint64_t>(cycles));
  }
  return used;
}

} // namespace

Losses findLosses(const Report &report, const CommandStreams &streams, const firmware::JobProfile &profile,
                  const firmware::Target &target) {
  Losses losses;
  const Figures &total = report.total;
  losses.isPortLimit = total.rooflineCycles > total.computeCycles;
  losses.gap = total.cycles - std::min(total.cycles, total.rooflineCycles);
  const std::vector<uint64_t> used = usedCycles(report, losses.isPortLimit, streams, profile, target);
  for (size_t i = 0; i < used.size(); ++i) {
    const bool isLayer = i < report.layers.size();
    const Figures &row = isLayer ? report.layers[i].figures : report.withoutLayer;
    const uint64_t lost = row.cycles - used[i];
    const uint64_t above = isLayer ? row.cycles - std::min(row.cycles, row.rooflineCycles) : row.cycles;
    losses.layers.push_back({std::min(lost, above), lost - std::min(lost, above)});
    losses.total += lost;
  }
  return losses;
}

} // namespace avocet::analysis
