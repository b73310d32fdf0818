//===- ExplorePage.h - The HTML page of an exploration ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREPAGE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREPAGE_H

#include "Results.h"

#include <map>
#include <string>
#include <string_view>

namespace avocet::tool {

/// One file without references to others. Tables and pictures need no script; with scripts, the axes of the picture can
/// be chosen, and a point shows which layers have another schedule on its neighbors.
std::string explorePage(const Results &results);

/// The figures for the page's script.
std::string explorePageData(const Results &results);

/// A picture of the points of a network: SRAM (or bandwidth, if SRAM does not vary) against cycles. Empty without
/// points.
std::string exploreScatter(const Results &results, const NetworkResults &network);

/// Short names by the names of the layers of a network, which are lists of long paths.
std::map<std::string, std::string> shortLayerNames(const NetworkResults &network);

/// Text within HTML.
std::string htmlText(std::string_view text);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREPAGE_H
