//===- Explanation.cpp - Figures of an explanation --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Explanation.h"
#include "avocet/analysis/SourceMap.h"

#include <algorithm>
#include <numeric>

namespace avocet::documents {

Result<Explanation> explainNetwork(Measured base) {
  AVOCET_ASSIGN_OR_RETURN(analysis::SourceMap map, analysis::SourceMap::open(base.model.artefacts.model));
  analysis::CommandTimes times = analysis::CommandTimes::from(map, base.profile);
  analysis::Losses losses = analysis::findLosses(base.report, map, base.profile, *base.model.target);
  auto fills = analysis::arrayFills(map, base.report.layers.size(), *base.model.target);
  return Explanation{std::move(base), std::move(map), std::move(times), std::move(losses), std::move(fills), {}, {}};
}

std::vector<SectionFigures> sectionFigures(const analysis::CommandStreams &streams,
                                           const analysis::CommandTimes &times) {
  std::vector<SectionFigures> sections(streams.numSections());
  for (const analysis::SectionRun &run : times.runs()) {
    ++sections[run.section].runs;
    sections[run.section].cycles += run.range.end - run.range.start;
  }
  return sections;
}

std::vector<size_t> worstLayers(const Explanation &explanation) {
  const analysis::Losses &losses = explanation.losses;
  std::vector<size_t> order(losses.layers.size() - 1); // the last row is no layer
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::pair(losses.layers[b].total(), a) < std::pair(losses.layers[a].total(), b);
  });
  constexpr size_t kLeast = 10;
  const double nearlyAll = 0.95 * static_cast<double>(losses.gap);
  size_t shown = 0;
  uint64_t sum = 0;
  for (; shown < std::min(kMostLosses, order.size()) && losses.layers[order[shown]].total() != 0; ++shown) {
    if (shown >= kLeast && static_cast<double>(sum) >= nearlyAll)
      break;
    sum += losses.layers[order[shown]].total();
  }
  order.resize(shown);
  return order;
}

} // namespace avocet::documents
