//===- RunSteps.cpp - Inputs and outputs of any session -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunSteps.h"
#include "avocet/base/StandardStreams.h"

#include "ReportCsv.h"
#include "ReportJson.h"
#include "ReportTable.h"
#include "Session.h"

namespace avocet::tool {

static bool hasRandomIndices(const cache::ModelCache &model, const RunOptions &options) {
  if (!options.inputs.empty())
    return false;
  for (size_t i = 0; i < numOwnInputs(model); ++i)
    if (const firmware::DataType type = model.input(i).type;
        type == firmware::DataType::Int32 || type == firmware::DataType::Int64)
      return true;
  return false;
}

SessionOptions withInputsOf(const RunOptions &run, const LoadedModel &model, SessionOptions options) {
  options.acceptsBadIndices = hasRandomIndices(*model.artefacts.model, run);
  return options;
}

Result<std::unique_ptr<Session>> runForValues(const LoadedModel &model, const RunOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                          Session::open(model, withInputsOf(options, model, valuesOnly())));
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, options));
  AVOCET_RETURN_IF_ERROR(session->run().status());
  return session;
}

/// The default of two seconds of device time takes half a minute to simulate; loops that end do so much earlier.
static constexpr uint64_t kMostLoopNs = 50'000'000;

static Result<TimedRun> runWithValues(const LoadedModel &model, const RunOptions &options) {
  SessionOptions profiled;
  profiled.backend = "sim";
  profiled.profile = true;
  profiled.loopTimeoutNs = kMostLoopNs;
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                          Session::open(model, withInputsOf(options, model, profiled)));
  session->state().reset();
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, session->run());
  return TimedRun{std::move(record), session->device()};
}

Result<TimedRun> runProfiled(const LoadedModel &model, const RunOptions &options) {
  if (model.artefacts.model->control().empty())
    return runTimed(model, Profiling::On);
  Result<TimedRun> run = runWithValues(model, options);
  if (!run && run.status().code() == StatusCode::DeadlineExceeded) // a loop that these inputs do not end
    return runTimed(model, Profiling::On);
  return run;
}

void printReport(const Report &report, ReportFormat format) {
  switch (format) {
  case ReportFormat::Table:
    return writeStandardOutput(renderTable(report));
  case ReportFormat::Json:
    return writeStandardOutput(renderJson(report));
  case ReportFormat::Csv:
    return writeStandardOutput(renderCsv(report));
  case ReportFormat::None:
    break;
  }
}

} // namespace avocet::tool
