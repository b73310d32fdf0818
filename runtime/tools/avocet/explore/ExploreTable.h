//===- ExploreTable.h - The table of an exploration -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORETABLE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORETABLE_H

#include "Results.h"

#include <string>

namespace avocet::tool {

enum class ShownRows { Front, All };

/// A table for each network, the refused points with their reasons, and a table for all networks together. Up to 80
/// columns wide if the values of the axes leave room.
std::string exploreTable(const Results &results, ShownRows rows);

/// "12.3 mJ".
std::string energyText(double picojoules);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORETABLE_H
