//===- Trials.h - Compiles and judges candidates of a bisection -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_TRIALS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_TRIALS_H

#include "Search.h"
#include "Settings.h"

#include "avocet/compiler/Loader.h"
#include "compare/Comparison.h"
#include "debug/TestCommand.h"
#include "output/Progress.h"
#include "run/RunPlace.h"

#include <map>
#include <numeric>
#include <optional>

namespace avocet::tool {

using RunsStep = std::function<bool(const compiler::OptionalStep &)>;

/// One way to compile the network.
struct Candidate {
  Settings settings;
  RunsStep runsStep = {}; ///< of the steps that the settings leave on; empty: all run
};

/// What is wrong with a candidate. Texts are empty if nothing is.
struct Findings {
  Status failure;             ///< of the compilation or the run
  bool isInteresting = false; ///< the command ended as wanted
  std::string output;         ///< the first output that differs
  std::string tensor;         ///< the first tensor of the network that differs
  std::string artefacts;      ///< the first part of the artefacts that differs
  uint64_t cycles = 0;        ///< of a run; 0 if they are not the criterion
  std::string slowness;       ///< how much more they are than those of the good candidate
};

/// The kind of difference that is searched for: the first one in this order that the bad end of a search has.
enum class Symptom { Failure, Command, Cycles, Output, Tensor, Artefacts };

/// None if the findings have no symptom up to `last`.
std::optional<Symptom> symptomOf(const Findings &bad, Symptom last);
/// One or more lines about it.
std::string describe(const Findings &findings, Symptom symptom);

/// What makes a candidate bad.
enum class Criterion {
  Result, ///< its outputs or tensors are not those expected
  Cycles  ///< it takes more cycles than the good candidate; values are not looked at
};

struct TrialOptions {
  RunOptions run; ///< model, inputs, seed, signature, shapes, clients
  Criterion criterion = Criterion::Result;
  std::string against; ///< as in avocet compare; empty: the good candidate
  Tolerance tolerance;
  std::optional<TestCommand> command; ///< instead of a comparison
};

/// Compiles candidates, runs them on the simulator, and compares. No candidate prints diagnostics or leaves a file.
class Trials {
public:
  /// `progress` is borrowed.
  Trials(TrialOptions options, Progress &progress) : options_(std::move(options)), progress_(progress) {}

  /// Only compiles, for what the candidate's runsStep sees. The error of the compilation, or of a setting.
  Status compileOnly(const Candidate &candidate);

  /// Makes the candidate's outcome the expected one, unless the options name an oracle.
  Result<Findings> runGood(const Candidate &candidate);

  /// An error is one of the search itself: a setting that does not exist, an interruption.
  Result<Findings> run(const Candidate &candidate);

  /// Runs of candidates so far.
  size_t count() const { return count_; }
  /// What the progress line shows besides the number of runs.
  std::string stage;

private:
  struct Compiled {
    compiler::CompileResult result;
    LoadedModel model; ///< if the result's status is Ok
  };
  struct Expected {
    ExpectedTensors tensors;
    std::vector<ExpectedTensor> outputs; ///< by position; empty: `tensors` has them by name
  };

  Result<compiler::LoadedCompiler> compilerOf(const Settings &settings);
  Result<Compiled> compile(const Candidate &candidate);
  Result<Findings> judge(const Candidate &candidate, const Compiled &compiled) const;
  Status judgeByCommand(const Candidate &candidate, const Compiled &compiled, Findings &findings) const;
  Status judgeByTensors(const LoadedModel &model, Findings &findings) const;
  Status judgeByCycles(const LoadedModel &model, Findings &findings) const;
  Result<Expected> expectedFrom(const Settings &settings, const Compiled &compiled);

  TrialOptions options_;
  Progress &progress_;
  std::map<std::string, compiler::LoadedCompiler> compilers_;
  std::optional<Expected> expected_;
  cache::Artefacts good_; ///< of the good candidate
  uint64_t goodCycles_ = 0;
  size_t count_ = 0;
};

/// The two ends of a search, judged.
class Investigation {
public:
  /// Symptoms after `last` do not count. FailedPrecondition: both ends are alike, or the good one is wrong itself.
  static Result<Investigation> begin(Trials &trials, const Candidate &good, const Candidate &bad,
                                     Symptom last = Symptom::Tensor);

  Result<Verdict> judge(const Candidate &candidate);

  /// About the last candidate that was Bad; several lines.
  std::string description() const { return describe(findings_, symptom_); }
  Symptom symptom() const { return symptom_; }

private:
  Investigation(Trials &trials, const Findings &good, Findings bad, Symptom symptom)
      : trials_(&trials), findings_(std::move(bad)), symptom_(symptom), failure_(findings_.failure.code()),
        middleCycles_(std::midpoint(good.cycles, findings_.cycles)) {}
  Verdict verdictOf(const Findings &findings) const;

  Trials *trials_;
  Findings findings_;
  Symptom symptom_;
  StatusCode failure_;    ///< of the bad end
  uint64_t middleCycles_; ///< between those of the ends
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_TRIALS_H
