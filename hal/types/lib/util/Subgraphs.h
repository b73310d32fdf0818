//===- Subgraphs.h - The order of subgraphs ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_UTIL_SUBGRAPHS_H
#define AVOCET_HAL_UTIL_SUBGRAPHS_H

#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <vector>

namespace avocet::hal {

/// The subgraphs that `subgraph` refers to, with repetitions; references out of range are omitted.
std::vector<size_t> referencesOf(const Subgraph &subgraph, size_t numReferenced);

/// The referenced subgraphs in topological order, users first. Subgraphs on a cycle, or reachable only from one, are
/// missing.
std::vector<size_t> usersFirst(const std::vector<Subgraph> &referenced);

} // namespace avocet::hal

#endif // AVOCET_HAL_UTIL_SUBGRAPHS_H
