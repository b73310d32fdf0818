//===- LocalRun.cpp - Runs in this process --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPlace.h"
#include "Runs.h"
#include "avocet/analysis/Report.h"
#include "avocet/documents/RunTrace.h"
#include "model/Optimization.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using session::DeviceSession;
using session::LocalOptions;
using session::RunRecord;

class LocalRun final : public RunPlace {
public:
  LocalRun(const RunOptions &options, bool traced) : options_(options), traced_(traced) {}

  Result<std::unique_ptr<session::Session>> open(Progress &progress) override;
  Status note(uint32_t number, session::RunRecord record) override;
  Status report(std::vector<analysis::ClassReport> classes) override;
  std::string traceJson(const Trace &trace) const override;

private:
  LocalOptions localOptions() const;

  const RunOptions &options_;
  const bool traced_;
  LoadedModel model_;
  DeviceSession *session_ = nullptr; ///< of open()
  session::RunRecord record_;
};

LocalOptions LocalRun::localOptions() const {
  LocalOptions local;
  local.backend = options_.backend;
  local.functional = options_.mode != Mode::Timing;
  local.timing = options_.mode != Mode::Functional;
  local.threads = options_.threads;
  local.profile = local.timing && (traced_ || options_.report != ReportFormat::None);
  return local;
}

Result<std::unique_ptr<session::Session>> LocalRun::open(Progress &progress) {
  ModelChoice choice{options_.model, options_.target,   options_.signature,
                     options_.open,  options_.optimize, options_.trustData};
  choice.hints = options_.hints;
  choice.fallback = options_.fallback;
  AVOCET_ASSIGN_OR_RETURN(model_, loadModel(choice, options_.diagnostics, progress));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<DeviceSession> session,
                          session::openHere(model_, withInputs(options_.inputs, model_, localOptions())));
  session_ = session.get();
  return std::unique_ptr<session::Session>(std::move(session));
}

/// Keeps the shortest of repeated runs, which must take the same cycles, and the last of a sequence.
Status LocalRun::note(uint32_t number, session::RunRecord record) {
  if (number == 0 || options_.repeat == 1) {
    record_ = std::move(record);
    return Status::ok();
  }
  const uint64_t cycles = record.outcome.counters.cycles, expected = record_.outcome.counters.cycles;
  record_.takeShorterTimes(record);
  if (cycles == expected)
    return Status::ok();
  return internalError(fmt::format("run {} took {} cycles, the first took {}", number + 1, cycles, expected));
}

Status LocalRun::report(std::vector<analysis::ClassReport> classes) {
  analysis::Report report = analysis::makeReport(model_, session_->device(), record_);
  report.runs = std::max(options_.repeat, numRuns(*session_, options_));
  if (const Status indices = session::checkIndices(model_, record_); !indices.isOk())
    report.notes.push_back(fmt::format(
        "random inputs: {}; it was replaced by the nearest one; give valid indices by --input", indices.message()));
  report.classes = std::move(classes);
  printReport(report, options_.report);
  return session_->finish();
}

std::string LocalRun::traceJson(const Trace &trace) const {
  if (record_.profile.spans.empty())
    return trace.toJson(); // the back end or the mode counts no cycles
  return documents::runTrace(trace, record_.submitted,
                             analysis::TracedJob(record_.profile, *model_.artefacts.model, *model_.target));
}

} // namespace

std::unique_ptr<RunPlace> runInProcess(const RunOptions &options, bool traced) {
  return std::make_unique<LocalRun>(options, traced);
}

} // namespace avocet::tool
