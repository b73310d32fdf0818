//===- Refusals.h - The operators that a target refuses ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_REFUSALS_H
#define AVOCET_DOCUMENTS_REFUSALS_H

#include "avocet/network/ModelSource.h"

#include <optional>

namespace avocet::documents {

/// An operator of the user's file that the target cannot run, or an input or output of the network.
struct RefusedOperator {
  std::optional<size_t> number; ///< in its subgraph of the file; none: not an operator of a .tflite file
  std::string name;             ///< its kind, "ADD"; "graph input 0"
  std::string tensor;           ///< that it makes, in the user's file; empty: the location names none
  compiler::Refusal reason;
  std::string advice; ///< what to do
};

/// The refusals of an answer of the compiler about a network, each once: one operator may be placed several times.
std::vector<RefusedOperator> presentRefusals(const compiler::Verdict &result, const network::ModelChoice &choice);

/// All refusals of a network that does not compile, of every phase: a compilation ends after the first phase with one.
/// None: it is refused for no operator, or not at all. Errors: those of the request, and NotFound without a compiler.
Result<std::vector<RefusedOperator>> refusedOperators(const network::ModelChoice &choice, network::Observer &observer);

/// Those that the user may mean: with this number, or else this tensor, or else this text in name or tensor.
std::vector<RefusedOperator> findRefused(const std::vector<RefusedOperator> &operators, std::string_view text);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_REFUSALS_H
