//===- Models.h - Models of graphs for the HAL -------------------------  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STACK_MODELS_H
#define AVOCET_TESTS_FUZZ_STACK_MODELS_H

#include "Graph.h"

#include "avocet/hal/types/Types.h"

namespace avocet::fuzz {

/// As chooseGraph(), and loops that never end.
std::shared_ptr<const Graph> chooseStackGraph(Bytes &bytes);

hal::Model modelOf(const Graph &graph);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STACK_MODELS_H
