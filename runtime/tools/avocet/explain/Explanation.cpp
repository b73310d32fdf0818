//===- Explanation.cpp - Figures of an explanation --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"

namespace avocet::tool {

std::vector<SectionFigures> sectionFigures(const analysis::CommandStreams &streams,
                                           const analysis::CommandTimes &times) {
  std::vector<SectionFigures> sections(streams.numSections());
  for (const analysis::SectionRun &run : times.runs()) {
    ++sections[run.section].runs;
    sections[run.section].cycles += run.range.end - run.range.start;
  }
  return sections;
}

uint64_t lossOf(const analysis::LayerReport &layer) {
  const analysis::Figures &figures = layer.figures;
  return figures.cycles > figures.rooflineCycles ? figures.cycles - figures.rooflineCycles : 0;
}

} // namespace avocet::tool
