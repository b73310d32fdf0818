//===- RunSteps.h - Inputs and outputs of any session -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps that runs in this process and runs on a device of a service share. A session has model(), input(i) and
// output(i).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUNSTEPS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUNSTEPS_H

#include "Report.h"
#include "RunOptions.h"
#include "Tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace avocet::tool {

class Session;
struct LoadedModel;

/// Inputs and outputs that are no states.
template <typename AnyModel> size_t numOwnInputs(const AnyModel &model) {
  return model.numInputs() - model.numStates();
}
template <typename AnyModel> size_t numOwnOutputs(const AnyModel &model) {
  return model.numOutputs() - model.numStates();
}

/// Runs in sequence: as many as asked for, or for a model with states as there are sets of inputs.
template <typename AnySession> uint32_t numRuns(const AnySession &session, const RunOptions &options) {
  const size_t count = numOwnInputs(session.model());
  const bool isSeveral = session.model().numStates() != 0 && options.runs == 0 && options.repeat == 1 && count != 0 &&
                         options.inputs.size() % count == 0;
  return isSeveral ? std::max<uint32_t>(1, static_cast<uint32_t>(options.inputs.size() / count))
                   : std::max<uint32_t>(1, options.runs);
}

/// Fills the inputs of one run from the given files, or with random data.
template <typename AnySession> Status fillInputs(AnySession &session, const RunOptions &options, uint32_t run = 0) {
  size_t count = numOwnInputs(session.model());
  const bool isOneSet = options.inputs.size() == count;
  if (!options.inputs.empty() && !isOneSet && options.inputs.size() != count * numRuns(session, options))
    return invalidArgument(
        fmt::format("{} input files were given, but the model has {} inputs; give one --input for each, "
                    "in graph order, or none for random data",
                    options.inputs.size(), count));
  for (size_t i = 0; i < count; ++i) {
    cache::OperandView operand = session.model().input(i);
    if (options.inputs.empty())
      fillRandom(operand.type, options.seed + run * count + i, session.input(i));
    else
      AVOCET_RETURN_IF_ERROR(readTensor(options.inputs[isOneSet ? i : run * count + i], operand, i, session.input(i)));
  }
  return Status::ok();
}

/// Options of a session whose inputs fillInputs() fills as `run` says. Indices out of range that come from random data
/// are no fault of the network or of its user, and are accepted.
SessionOptions withInputsOf(const RunOptions &run, const LoadedModel &model, SessionOptions options);

template <typename AnySession> std::vector<std::vector<uint8_t>> copyOutputs(const AnySession &session) {
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < numOwnOutputs(session.model()); ++i)
    outputs.emplace_back(session.output(i).begin(), session.output(i).end());
  return outputs;
}

/// Runs options.repeat times; `run(number)` runs once and returns Status. Every run must give the same bytes.
template <typename AnySession, typename RunOnce>
Status repeatRuns(const AnySession &session, const RunOptions &options, Progress &progress, RunOnce runOnce) {
  progress.stage("running");
  AVOCET_RETURN_IF_ERROR(runOnce(0));
  const std::vector<std::vector<uint8_t>> outputs = copyOutputs(session);
  for (uint32_t i = 1; i < options.repeat; ++i) {
    progress.count("running", i, options.repeat);
    AVOCET_RETURN_IF_ERROR(runOnce(i));
    if (copyOutputs(session) != outputs)
      return internalError(fmt::format("the outputs of run {} differ from those of the first", i + 1));
  }
  progress.clear();
  return Status::ok();
}

/// `folder`: below the output directory.
template <typename AnySession>
Status writeResults(const AnySession &session, const RunOptions &options, const std::string &folder = {}) {
  if (options.outputDirectory.empty())
    return Status::ok();
  std::vector<std::span<const uint8_t>> outputs;
  for (size_t i = 0; i < numOwnOutputs(session.model()); ++i)
    outputs.push_back(session.output(i));
  return writeTensors(options.outputDirectory + folder, "out", outputs);
}

/// Runs a model once with valuesOnly(), with the inputs that the options give; the session has the outputs.
Result<std::unique_ptr<Session>> runForValues(const LoadedModel &model, const RunOptions &options);

/// Runs a model once on the simulator with cycles, layers and spans, with states as at the start. Only a network with
/// branches or loops computes values, from the inputs that the options give: its conditions need them. If these inputs
/// do not end a loop within 50 ms of device time, it runs without values, and all conditions are false.
Result<TimedRun> runProfiled(const LoadedModel &model, const RunOptions &options);

void printReport(const Report &report, ReportFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUNSTEPS_H
