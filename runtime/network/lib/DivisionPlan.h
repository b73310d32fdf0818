//===- DivisionPlan.h - partition.json --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_NETWORK_LIB_DIVISIONPLAN_H
#define AVOCET_RUNTIME_NETWORK_LIB_DIVISIONPLAN_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelDescription.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::network {

struct PlannedTensor {
  cache::Operand operand; ///< `isState` of inputs and outputs
  bool isKnown = true;    ///< false: the network's file does not say its type and shape
  std::string initial;    ///< of a state: name of the file
};

struct PlannedValue {
  PlannedTensor tensor;
  std::string constant; ///< name of the file; empty: it is computed
};

struct PlannedStep {
  std::string network; ///< file of a network for the target; empty: an operator
  std::string alone;   ///< file of an operator as a network; empty: the compiler cannot express it
  std::string kind, reason;
  std::optional<uint64_t> number;
  std::string custom, attributes; ///< name for applications, and a file; empty: none can compute it
  std::vector<size_t> inputs, outputs;
};

/// The contents of the file, with a number for each value.
struct DivisionPlan {
  std::string model;
  std::vector<PlannedValue> values;
  std::vector<PlannedStep> steps;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<PlannedTensor> results; ///< of outputs: their names
};

/// DataLoss for a text that is none, or whose steps read what no earlier step gives.
Result<DivisionPlan> parseDivisionPlan(std::span<const uint8_t> text);

} // namespace avocet::network

#endif // AVOCET_RUNTIME_NETWORK_LIB_DIVISIONPLAN_H
