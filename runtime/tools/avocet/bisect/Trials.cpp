//===- Trials.cpp - Compiles and judges candidates of a bisection -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trials.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/network/BytecodeInput.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/LocalSession.h"
#include "avocet/session/TargetFile.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

/// "588 of 3,136 elements differ, at most by 0.016; the first: 0.258 expected, 0.274 found"
std::string differenceText(const Difference &difference) {
  return fmt::format("{} of {} elements differ, at most by {:.4g}; the first: {:.8g} expected, {:.8g} found",
                     withCommas(difference.differing), withCommas(difference.elements), difference.largest,
                     difference.expected, difference.found);
}

std::vector<ExpectedTensor> outputsOf(const cache::ModelCache &model, const std::vector<std::vector<uint8_t>> &bytes) {
  std::vector<ExpectedTensor> outputs;
  for (size_t i = 0; i < bytes.size(); ++i)
    outputs.push_back(expectedOf(model.output(i), bytes[i]));
  return outputs;
}

/// What a run shows: all tensors, or only the outputs of a network with branches or loops.
struct Observed {
  std::optional<analysis::SourceMap> map;
  std::optional<TensorTrace> trace;
  std::vector<std::vector<uint8_t>> outputs;
};

Result<Observed> observe(const LoadedModel &model, const RunOptions &options) {
  Observed observed;
  if (model.artefacts.model->control().empty()) {
    AVOCET_ASSIGN_OR_RETURN(observed.map, analysis::SourceMap::open(model.artefacts.model));
    AVOCET_ASSIGN_OR_RETURN(observed.trace, TensorTrace::run(model, *observed.map, options));
    observed.outputs = observed.trace->outputs();
    return observed;
  }
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<session::LocalSession> session,
                          session::runForValues(model, options.inputs));
  observed.outputs = session::copyOutputs(*session);
  return observed;
}

Result<uint64_t> cyclesOf(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runTimed(model, session::Profiling::Off));
  return run.record.outcome.counters.cycles;
}

std::string outputDifference(size_t index, const ExpectedTensor &expected, std::span<const uint8_t> found,
                             const Tolerance &tolerance) {
  if (expected.bytes.size() != found.size())
    return fmt::format("output {} has {} bytes instead of {}", index, found.size(), expected.bytes.size());
  const Difference difference = differenceOf(expected, found, tolerance);
  return difference.differing == 0 ? "" : fmt::format("output {}: {}", index, differenceText(difference));
}

/// The first part that differs; versions and names in the model cache do not count.
std::string artefactDifference(const cache::Artefacts &good, const cache::Artefacts &found) {
  if (!std::ranges::equal(good.data->bytes(), found.data->bytes()))
    return fmt::format("constants differ: {} bytes against {}", good.data->bytes().size(), found.data->bytes().size());
  for (size_t i = 0; i < std::max(good.model->numStreams(), found.model->numStreams()); ++i) {
    if (i >= std::min(good.model->numStreams(), found.model->numStreams()))
      return fmt::format("{} command streams against {}", good.model->numStreams(), found.model->numStreams());
    const cache::StreamView before = good.model->stream(i), after = found.model->stream(i);
    if (before.engine != after.engine || !std::ranges::equal(before.words, after.words))
      return fmt::format("the commands of {} differ: {} words against {}", toString(before.engine), before.words.size(),
                         after.words.size());
  }
  return "";
}

} // namespace

std::optional<Symptom> symptomOf(const Findings &bad, Symptom last) {
  const std::pair<Symptom, bool> all[] = {
      {Symptom::Failure, !bad.failure.isOk()},  {Symptom::Command, bad.isInteresting},
      {Symptom::Cycles, !bad.slowness.empty()}, {Symptom::Output, !bad.output.empty()},
      {Symptom::Tensor, !bad.tensor.empty()},   {Symptom::Artefacts, !bad.artefacts.empty()}};
  for (const auto &[symptom, isThere] : all)
    if (isThere && symptom <= last)
      return symptom;
  return std::nullopt;
}

std::string describe(const Findings &findings, Symptom symptom) {
  switch (symptom) {
  case Symptom::Failure:
    return findings.failure.message();
  case Symptom::Command:
    return "the command ends as wanted";
  case Symptom::Cycles:
    return findings.slowness;
  case Symptom::Output: // the first tensor on the way to the output says more
    return findings.tensor.empty() ? findings.output : findings.output + "\n" + findings.tensor;
  case Symptom::Tensor:
    return findings.tensor;
  case Symptom::Artefacts:
    return findings.artefacts;
  }
  return "";
}

Result<compiler::LoadedCompiler> Trials::compilerOf(const Settings &settings) {
  const std::string path = valueIn(settings, kCompilerSetting);
  if (const auto loaded = compilers_.find(path); loaded != compilers_.end())
    return loaded->second;
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load(path));
  compilers_.emplace(path, compiler);
  return compiler;
}

Result<Trials::Compiled> Trials::compile(const Candidate &candidate) {
  if (InterruptScope::isInterrupted())
    return Status(StatusCode::Aborted, "interrupted");
  progress_.update(fmt::format("{}: {} trials", stage, count_));
  AVOCET_ASSIGN_OR_RETURN(const compiler::LoadedCompiler compiler, compilerOf(candidate.settings));
  compiler::CompileRequest request;
  request.modelPath = options_.run.model;
  request.signature = options_.run.signature;
  request.sourceMap = true;
  AVOCET_RETURN_IF_ERROR(apply(options_.run.open, request));
  AVOCET_RETURN_IF_ERROR(applySettings(request, candidate.settings));
  const auto isOff = [&](std::string_view transform) {
    return valueIn(candidate.settings, std::string(transform)) == kOff;
  };
  if (candidate.runsStep || std::ranges::any_of(candidate.settings, [](auto &each) { return each.second == kOff; }))
    request.runsStep = [&](const compiler::OptionalStep &step) {
      return !isOff(step.transform) && (!candidate.runsStep || candidate.runsStep(step));
    };
  AVOCET_ASSIGN_OR_RETURN(auto target, firmware::Target::load(request.target));
  Compiled compiled{network::compileFile(compiler, request), {}};
  if (!compiled.result.status.isOk())
    return compiled;
  AVOCET_ASSIGN_OR_RETURN(compiled.model, network::adoptResult(request.modelPath, compiled.result));
  compiled.model.target = std::move(target);
  return compiled;
}

Status Trials::compileOnly(const Candidate &candidate) {
  AVOCET_ASSIGN_OR_RETURN(const Compiled compiled, compile(candidate));
  return compiled.result.status;
}

Result<Trials::Expected> Trials::expectedFrom(const Settings &settings, const Compiled &compiled) {
  Expected expected;
  if (options_.against.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const Observed observed, observe(compiled.model, options_.run));
    if (observed.trace)
      expected.tensors = observedTensors(*observed.map, *observed.trace);
    expected.outputs = outputsOf(*compiled.model.artefacts.model, observed.outputs);
  } else {
    AVOCET_ASSIGN_OR_RETURN(expected.tensors, tensorsOfOracle(options_.against, options_.run,
                                                              valueIn(settings, kTargetSetting), progress_));
  }
  return expected;
}

Result<Findings> Trials::runGood(const Candidate &candidate) {
  ++count_;
  AVOCET_ASSIGN_OR_RETURN(const Compiled compiled, compile(candidate));
  if (compiled.result.status.isOk() && options_.criterion == Criterion::Cycles) {
    AVOCET_ASSIGN_OR_RETURN(goodCycles_, cyclesOf(compiled.model));
  } else if (compiled.result.status.isOk() && !options_.command) {
    Result<Expected> expected = expectedFrom(candidate.settings, compiled);
    if (!expected && options_.against.empty()) {
      Findings findings;
      findings.failure = expected.status();
      return findings;
    }
    AVOCET_RETURN_IF_ERROR(expected.status());
    expected_ = std::move(*expected);
  }
  good_ = compiled.model.artefacts;
  return judge(candidate, compiled);
}

Result<Findings> Trials::run(const Candidate &candidate) {
  ++count_;
  AVOCET_ASSIGN_OR_RETURN(const Compiled compiled, compile(candidate));
  return judge(candidate, compiled);
}

Result<Findings> Trials::judge(const Candidate &candidate, const Compiled &compiled) const {
  Findings findings;
  findings.failure = compiled.result.status;
  if (!findings.failure.isOk())
    return findings;
  if (options_.command) {
    AVOCET_RETURN_IF_ERROR(judgeByCommand(candidate, compiled, findings));
    return findings;
  }
  if (options_.criterion == Criterion::Cycles) {
    findings.failure = judgeByCycles(compiled.model, findings);
    return findings;
  }
  findings.failure = judgeByTensors(compiled.model, findings);
  if (good_.model)
    findings.artefacts = artefactDifference(good_, compiled.model.artefacts);
  return findings;
}

Status Trials::judgeByCommand(const Candidate &candidate, const Compiled &compiled, Findings &findings) const {
  AVOCET_ASSIGN_OR_RETURN(const auto folder, ScratchDirectory::make());
  const std::string path = folder.path() + "/artefacts";
  AVOCET_RETURN_IF_ERROR(cache::writeArtefacts(path, compiled.result.modelCache, compiled.result.dataCache));
  AVOCET_RETURN_IF_ERROR(session::keepTargetFile(path, valueIn(candidate.settings, kTargetSetting)));
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, options_.command->run(path));
  if (end.how == CommandEnd::How::Interrupted)
    return Status(StatusCode::Aborted, "interrupted");
  findings.isInteresting = options_.command->isInteresting(end);
  return Status::ok();
}

Status Trials::judgeByTensors(const LoadedModel &model, Findings &findings) const {
  AVOCET_ASSIGN_OR_RETURN(const Observed observed, observe(model, options_.run));
  for (size_t i = 0; i < observed.outputs.size() && findings.output.empty(); ++i) {
    const std::string_view name = model.artefacts.model->output(i).name;
    const auto byName = expected_->tensors.find(name);
    if (i < expected_->outputs.size())
      findings.output = outputDifference(i, expected_->outputs[i], observed.outputs[i], options_.tolerance);
    else if (expected_->outputs.empty() && byName != expected_->tensors.end())
      findings.output = outputDifference(i, byName->second, observed.outputs[i], options_.tolerance);
  }
  if (!observed.trace)
    return Status::ok();
  const auto compared = compareTensors(*observed.map, *observed.trace, expected_->tensors, options_.tolerance);
  const auto first = std::ranges::find(compared, ComparedTensor::Outcome::Differs, &ComparedTensor::outcome);
  if (first != compared.end() && !first->output) // outputs are judged above
    findings.tensor = fmt::format("tensor '{}': {}", first->name, differenceText(first->difference));
  return Status::ok();
}

Status Trials::judgeByCycles(const LoadedModel &model, Findings &findings) const {
  AVOCET_ASSIGN_OR_RETURN(findings.cycles, cyclesOf(model));
  if (findings.cycles > goodCycles_)
    findings.slowness = fmt::format("{} cycles instead of {}, {:+.1f}%", withCommas(findings.cycles),
                                    withCommas(goodCycles_), 100 * (double(findings.cycles) / double(goodCycles_) - 1));
  return Status::ok();
}

Result<Investigation> Investigation::begin(Trials &trials, const Candidate &good, const Candidate &bad, Symptom last) {
  AVOCET_ASSIGN_OR_RETURN(const Findings atGood, trials.runGood(good));
  if (!atGood.failure.isOk())
    return failedPrecondition("the good end fails itself: " + atGood.failure.message());
  AVOCET_ASSIGN_OR_RETURN(Findings atBad, trials.run(bad));
  const std::optional<Symptom> symptom = symptomOf(atBad, last);
  if (!symptom)
    return failedPrecondition(atBad.cycles == 0
                                  ? "there is nothing to search for: the bad end gives what is expected"
                                  : fmt::format("there is nothing to search for: the bad end takes {} cycles, the good "
                                                "one {}",
                                                withCommas(atBad.cycles), withCommas(atGood.cycles)));
  Investigation begun(trials, atGood, std::move(atBad), *symptom);
  if (begun.verdictOf(atGood) == Verdict::Bad)
    return failedPrecondition("the good end is wrong, too: " + describe(atGood, *symptom));
  return begun;
}

Verdict Investigation::verdictOf(const Findings &findings) const {
  if (symptom_ == Symptom::Failure && !findings.failure.isOk())
    return findings.failure.code() == failure_ ? Verdict::Bad : Verdict::Unknown;
  if (!findings.failure.isOk())
    return Verdict::Unknown;
  switch (symptom_) {
  case Symptom::Failure:
    return Verdict::Good;
  case Symptom::Command:
    return findings.isInteresting ? Verdict::Bad : Verdict::Good;
  case Symptom::Cycles: // nearer to the bad end
    return findings.cycles > middleCycles_ ? Verdict::Bad : Verdict::Good;
  case Symptom::Output:
    return findings.output.empty() ? Verdict::Good : Verdict::Bad;
  case Symptom::Tensor:
    return findings.tensor.empty() ? Verdict::Good : Verdict::Bad;
  case Symptom::Artefacts:
    return findings.artefacts.empty() ? Verdict::Good : Verdict::Bad;
  }
  return Verdict::Unknown;
}

Result<Verdict> Investigation::judge(const Candidate &candidate) {
  AVOCET_ASSIGN_OR_RETURN(Findings findings, trials_->run(candidate));
  const Verdict verdict = verdictOf(findings);
  if (verdict == Verdict::Bad)
    findings_ = std::move(findings);
  return verdict;
}

} // namespace avocet::tool
