//===- Generator.h - Graphs from a seed -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_GENERATOR_H
#define AVOCET_VALIDATION_RANDOM_GENERATOR_H

#include "Graph.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/validation/RandomGraphs.h"

#include <map>

namespace avocet::hal::conformance {

/// An operation whose results by the reference device are not those of its definition.
struct WrongReference {
  Graph graph; ///< of that operation alone
  std::string difference;
};

/// A graph, and what happened to the operations that were drawn for it.
struct GeneratedGraph {
  Graph graph; ///< without operations if none could be drawn
  std::map<OperationType, OperationDraws> draws;
  std::vector<WrongReference> wrong;
  std::string lost; ///< why the device answers no more; empty: it does
};

/// The graph `number` of `seed`, of up to `maxOperations`. It depends on these, on what `reference` computes, and on
/// what `device` refuses, since operations that it does not support are left out.
GeneratedGraph generateGraph(uint64_t seed, uint64_t number, uint32_t maxOperations, IDevice &reference,
                             const IDevice &device);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_GENERATOR_H
