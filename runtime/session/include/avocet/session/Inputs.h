//===- Inputs.h - Inputs and outputs of runs --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the inputs of runs come from, and runs in this process that start with them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_INPUTS_H
#define AVOCET_SESSION_INPUTS_H

#include "avocet/session/LocalSession.h"

#include <string>
#include <vector>

namespace avocet::session {

struct Inputs {
  std::vector<std::string> files; ///< raw tensors in graph order, of one run or of several; none: random data
  uint64_t seed = 1;              ///< of random data
};

/// Fills the inputs of run `run` of `runs` in sequence: from its own files, from those of every run, or with random
/// data. InvalidArgument: there are more or fewer files than inputs; or as readTensor().
Status fillInputs(Session &session, const Inputs &inputs, uint32_t run = 0, uint32_t runs = 1);

std::vector<std::vector<uint8_t>> copyOutputs(const Session &session);

/// Options of a session with these inputs. Indices out of range that come from random data are no fault of the network
/// or of its user, and are accepted.
LocalOptions withInputs(const Inputs &inputs, const LoadedModel &model, LocalOptions options);

/// Runs a model once with valuesOnly(); the session has the outputs.
Result<std::unique_ptr<LocalSession>> runForValues(const LoadedModel &model, const Inputs &inputs);

/// Runs a model once on the simulator with cycles, layers and spans, with states as at the start. Only a network with
/// branches or loops computes values, from the inputs: its conditions need them. If these inputs do not end a loop
/// within 50 ms of device time, it runs without values, and all conditions are false.
Result<TimedRun> runProfiled(const LoadedModel &model, const Inputs &inputs);

} // namespace avocet::session

#endif // AVOCET_SESSION_INPUTS_H
