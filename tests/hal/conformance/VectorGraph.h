//===- VectorGraph.h - Cases of vectors as graphs -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_VECTORGRAPH_H
#define AVOCET_TESTS_CONFORMANCE_VECTORGRAPH_H

#include "random/Graph.h"

#include <optional>

namespace avocet::hal::conformance {

/// The only operation of a case, with the expected values as its results; results that the case ignores have no bytes.
/// Nothing: the case has other operations or subgraphs.
std::optional<Graph> graphOfCase(const TestCase &test);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_VECTORGRAPH_H
