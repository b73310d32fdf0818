//===- DividedNetwork.h - A network with operators on the host --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `avocet compile --partition` writes, compiled (network/Division.h): networks for the target, and between them
// operators that the target refuses, which the CPU or the application computes. A session runs the steps in turn.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_DIVIDEDNETWORK_H
#define AVOCET_SESSION_DIVIDEDNETWORK_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/session/HostOperator.h"
#include "avocet/session/Session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avocet::session {

enum class StepPlace {
  Device,      ///< the target's
  Cpu,         ///< the network for runtime::kProcessorTarget, with the kernels of the simulator
  Application, ///< a HostOperator
};

/// "device", "cpu", "call-back".
std::string_view toString(StepPlace place);

struct DividedStep {
  StepPlace place = StepPlace::Device;
  LoadedModel model;    ///< of Device and Cpu, with the step's inputs and outputs
  HostOperator compute; ///< of Application

  // Of an operator.
  std::string kind;               ///< in the network's file
  std::string reason;             ///< for which the target refuses it
  std::optional<uint64_t> number; ///< in the main graph of the file
  std::string custom;             ///< of Application: what it is registered as
  std::vector<uint8_t> attributes;

  // Numbers of values.
  std::vector<size_t> inputs, outputs;
};

/// A tensor that steps, or the network and a step, pass to each other. Each is written once: by the network's caller,
/// by a step, or never, if it is a constant.
struct DividedValue {
  cache::Operand tensor;
  std::vector<uint8_t> constant; ///< its bytes; empty: it is computed
};

struct DividedNetwork {
  std::vector<DividedValue> values;
  std::vector<DividedStep> steps;      ///< each reads values of earlier ones
  std::vector<size_t> inputs, outputs; ///< values of the network, those of states last
};

} // namespace avocet::session

#endif // AVOCET_SESSION_DIVIDEDNETWORK_H
