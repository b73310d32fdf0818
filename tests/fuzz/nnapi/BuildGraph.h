//===- BuildGraph.h - Models of graphs through the C library ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_NNAPI_BUILDGRAPH_H
#define AVOCET_TESTS_FUZZ_NNAPI_BUILDGRAPH_H

#include "Graph.h"
#include "Objects.h"

#include <vector>

namespace avocet::fuzz {

/// The finished model, and memories that must outlive it.
nnapi::testing::Model buildModel(const Graph &graph, std::vector<nnapi::testing::Memory> &memories);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_NNAPI_BUILDGRAPH_H
