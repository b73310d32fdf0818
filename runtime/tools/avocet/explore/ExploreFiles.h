//===- ExploreFiles.h - CSV and JSON of an exploration ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREFILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREFILES_H

#include "Results.h"

#include <cstdint>
#include <string>

namespace avocet::tool {

/// Version of exploreJson(), which schemas/explore.schema.json describes. It grows when a key loses its meaning, its
/// type or its place; new keys leave it as it is.
inline constexpr uint32_t kExploreSchema = 2;

/// One row for each point: network, target, axes, figures, state and reason (RFC 4180).
std::string exploreCsv(const Results &results);

/// One row for each layer that has another schedule on the next target of an axis.
std::string changesCsv(const Results &results);

/// The points with their figures, as one JSON object.
std::string exploreJson(const Results &results);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLOREFILES_H
