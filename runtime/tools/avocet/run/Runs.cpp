//===- Runs.cpp - Runs of one session as the options say ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include "avocet/runtime/StateValues.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using session::RunRecord;
using session::Session;

/// The initial values, and those that the user gives.
Status prepareStates(Session &session, const RunOptions &options) {
  AVOCET_RETURN_IF_ERROR(session.reset());
  for (const std::string &text : options.states) {
    runtime::StateValues &state = *session.states();
    const size_t equals = text.find('=');
    if (equals == std::string::npos)
      return invalidArgument(fmt::format("--state {}: must be the name of a state, '=', and a file", text));
    AVOCET_ASSIGN_OR_RETURN(size_t index, state.find(text.substr(0, equals)));
    AVOCET_RETURN_IF_ERROR(
        session::readTensor(text.substr(equals + 1), state.description(index), index, state.bytes(index)));
  }
  return Status::ok();
}

/// `folder`: below the output directory.
Status writeOutputs(const Session &session, const RunOptions &options, const std::string &folder) {
  if (options.outputDirectory.empty())
    return Status::ok();
  std::vector<std::span<const uint8_t>> outputs;
  for (size_t i = 0; i < session.numOutputs(); ++i)
    outputs.push_back(session.output(i));
  return session::writeTensors(options.outputDirectory + folder, "out", outputs);
}

Status writeStates(Session &session, const RunOptions &options) {
  runtime::StateValues *state = session.states();
  if (options.outputDirectory.empty() || state == nullptr || state->count() == 0)
    return Status::ok();
  std::vector<std::span<const uint8_t>> states;
  for (size_t i = 0; i < state->count(); ++i)
    states.push_back(state->bytes(i));
  return session::writeTensors(options.outputDirectory, "state", states);
}

Status fillInputs(Session &session, const RunOptions &options, const Pictures &pictures, uint32_t run, uint32_t runs) {
  return options.pictures.files.empty() ? session::fillInputs(session, options.inputs, run, runs)
                                        : pictures.fill(session, run);
}

Status runOnce(Session &session, uint32_t number, uint32_t runs, const RunVisitor &visit) {
  Result<session::RunRecord> record = session.run();
  if (record)
    return visit(number, std::move(*record));
  return runs == 1 ? record.status()
                   : Status(record.status()).withContext(fmt::format("run {} of {}", number + 1, runs));
}

Status runRepeatedly(Session &session, const RunOptions &options, const Pictures &pictures, Progress &progress,
                     const RunVisitor &visit) {
  std::vector<std::vector<uint8_t>> outputs;
  AVOCET_RETURN_IF_ERROR(fillInputs(session, options, pictures, 0, 1));
  for (uint32_t number = 0; number < options.repeat; ++number) {
    if (number == 0)
      progress.stage("running");
    else
      progress.count("running", number, options.repeat);
    AVOCET_RETURN_IF_ERROR(prepareStates(session, options));
    AVOCET_RETURN_IF_ERROR(runOnce(session, number, options.repeat, visit));
    if (number == 0)
      outputs = session::copyOutputs(session);
    else if (session::copyOutputs(session) != outputs)
      return internalError(fmt::format("the outputs of run {} differ from those of the first", number + 1));
  }
  progress.clear();
  return writeOutputs(session, options, "");
}

Status runInSequence(Session &session, const RunOptions &options, const Pictures &pictures, Progress &progress,
                     const RunVisitor &visit) {
  const uint32_t runs = numRuns(session, options);
  AVOCET_RETURN_IF_ERROR(prepareStates(session, options));
  for (uint32_t number = 0; number < runs; ++number) {
    progress.count("running", number, runs);
    AVOCET_RETURN_IF_ERROR(fillInputs(session, options, pictures, number, runs));
    AVOCET_RETURN_IF_ERROR(runOnce(session, number, runs, visit));
    AVOCET_RETURN_IF_ERROR(writeOutputs(session, options, fmt::format("/run{}", number)));
  }
  progress.clear();
  return Status::ok();
}

} // namespace

uint32_t numRuns(const Session &session, const RunOptions &options) {
  if (const size_t pictures = options.pictures.files.size(); pictures > 1)
    return static_cast<uint32_t>(pictures);
  const size_t count = session.numInputs(), files = options.inputs.files.size();
  const bool isSeveral =
      session.numStates() != 0 && options.runs == 0 && options.repeat == 1 && count != 0 && files % count == 0;
  return std::max<uint32_t>(1, isSeveral ? static_cast<uint32_t>(files / count) : options.runs);
}

Status runAll(Session &session, const RunOptions &options, const Pictures &pictures, Progress &progress,
              const RunVisitor &visit) {
  const auto run = numRuns(session, options) > 1 ? runInSequence : runRepeatedly;
  AVOCET_RETURN_IF_ERROR(run(session, options, pictures, progress, visit));
  return writeStates(session, options);
}

} // namespace avocet::tool
