//===- ViewGraph.h - Random graphs of operators that move elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler turns many moves into views. A graph reads them twice, joins joins through reshapes and packs, and
// splits them again. Every element of an output is one of the inputs or padding, so the expected outputs need no
// library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_VIEWGRAPH_H
#define AVOCET_TESTS_DIFFERENTIAL_VIEWGRAPH_H

#include "Draft.h"

#include "avocet/base/Status.h"

#include <string>

namespace avocet::differential {

/// A graph with its expected outputs. I8, U8, I16, I32 or F32.
TestModel viewGraph(Kind kind, uint64_t seed);

/// Compiles the graph for the target with a source map, whose verification is a part of that, runs it, and compares.
/// Ok also if the compiler refuses it with a reason, which `refusal` then has.
Status checkViewGraph(Kind kind, uint64_t seed, const std::string &target, std::string &refusal);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_VIEWGRAPH_H
