//===- Inputs.cpp - Inputs and outputs of runs ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Inputs.h"

#include "avocet/session/Tensors.h"

#include <fmt/format.h>

namespace avocet::session {
namespace {

using firmware::DataType;

bool hasRandomIndices(const cache::ModelCache &model, const Inputs &inputs) {
  if (!inputs.files.empty())
    return false;
  for (size_t i = 0; i < numOwnInputs(model); ++i)
    if (const DataType type = model.input(i).type; type == DataType::Int32 || type == DataType::Int64)
      return true;
  return false;
}

/// The default of two seconds of device time takes half a minute to simulate; loops that end do so much earlier.
constexpr uint64_t kMostLoopNs = 50'000'000;

Result<TimedRun> runWithValues(const LoadedModel &model, const Inputs &inputs) {
  LocalOptions profiled;
  profiled.backend = "sim";
  profiled.profile = true;
  profiled.loopTimeoutNs = kMostLoopNs;
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<LocalSession> session,
                          LocalSession::open(model, withInputs(inputs, model, profiled)));
  AVOCET_RETURN_IF_ERROR(session->reset());
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, inputs));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, session->run());
  return TimedRun{std::move(record), session->device()};
}

} // namespace

Status fillInputs(Session &session, const Inputs &inputs, uint32_t run, uint32_t runs) {
  const size_t count = session.numInputs(), files = inputs.files.size();
  if (files != 0 && files != count && files != count * runs)
    return invalidArgument(
        fmt::format("{} input files were given, but the model has {} inputs; give one --input for each, "
                    "in graph order, or none for random data",
                    files, count));
  const size_t first = files == count ? 0 : run * count;
  for (size_t i = 0; i < count; ++i) {
    const cache::OperandView operand = session.describeInput(i);
    if (files == 0)
      fillRandom(operand.type, inputs.seed + run * count + i, session.input(i));
    else
      AVOCET_RETURN_IF_ERROR(readTensor(inputs.files[first + i], operand, i, session.input(i)));
  }
  return Status::ok();
}

std::vector<std::vector<uint8_t>> copyOutputs(const Session &session) {
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < session.numOutputs(); ++i)
    outputs.emplace_back(session.output(i).begin(), session.output(i).end());
  return outputs;
}

LocalOptions withInputs(const Inputs &inputs, const LoadedModel &model, LocalOptions options) {
  options.acceptsBadIndices = hasRandomIndices(*model.artefacts.model, inputs);
  return options;
}

Result<std::unique_ptr<LocalSession>> runForValues(const LoadedModel &model, const Inputs &inputs) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                          LocalSession::open(model, withInputs(inputs, model, valuesOnly())));
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, inputs));
  AVOCET_RETURN_IF_ERROR(session->run().status());
  return session;
}

Result<TimedRun> runProfiled(const LoadedModel &model, const Inputs &inputs) {
  if (model.artefacts.model->control().empty())
    return runTimed(model, Profiling::On);
  Result<TimedRun> run = runWithValues(model, inputs);
  if (!run && run.status().code() == StatusCode::DeadlineExceeded) // a loop that these inputs do not end
    return runTimed(model, Profiling::On);
  return run;
}

} // namespace avocet::session
