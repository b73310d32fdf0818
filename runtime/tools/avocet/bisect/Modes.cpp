//===- Modes.cpp - Versions of the compiler that make a result wrong ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/StandardStreams.h"
#include "output/TextTable.h"
#include "where/SourceText.h"

#include <fmt/format.h>
#include <functional>
#include <regex>

namespace avocet::tool {

Status bisectCompilers(const BisectOptions &options, Progress &progress) {
  const std::vector<std::string> &paths = options.compilers;
  std::vector<std::string> versions;
  for (const std::string &path : paths) { // a wrong path ends the search before its first compilation
    AVOCET_ASSIGN_OR_RETURN(const compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load(path));
    versions.push_back(compiler.version());
  }
  Trials trials(options.trials, progress);
  trials.stage = fmt::format("bisecting {} compilers", paths.size());
  const auto candidate = [&](size_t index) {
    return Candidate{joined(options.base, {{kCompilerSetting, paths[index]}})};
  };
  AVOCET_ASSIGN_OR_RETURN(Investigation investigation,
                          Investigation::begin(trials, candidate(0), candidate(paths.size() - 1), Symptom::Artefacts));
  AVOCET_ASSIGN_OR_RETURN(const Change change, findChange({0, paths.size() - 1}, [&](size_t index) {
                            return investigation.judge(candidate(index));
                          }));
  progress.clear();
  const auto text = [&](size_t index) {
    return fmt::format("{} of {}: {}, version {}", index + 1, paths.size(), paths[index], versions[index]);
  };
  printOut("{}{}", line("last good", text(change.good)), line("first bad", text(change.bad)));
  if (change.bad - change.good > 1)
    printOut("{}", line("", "those between fail in another way"));
  if (investigation.symptom() == Symptom::Artefacts)
    printOut("{}", line("", "the results are equal"));
  printEvidence(trials, investigation);
  return Status::ok();
}

namespace {

/// The optional transforms of the compilation of the network.
Result<std::set<std::string>> transformsOf(Trials &trials, const Settings &base) {
  std::set<std::string> names;
  Candidate all{base, [&names](const compiler::OptionalStep &step) {
                  names.emplace(step.transform);
                  return true;
                }};
  const Status compiled = trials.compileOnly(all); // its error, if any, may be what is looked for
  if (names.empty() && !compiled.isOk())
    return compiled;
  return names;
}

/// All that is optional is off.
Settings plainest(const std::set<std::string> &transforms) {
  Settings settings = {{kOptimizeSetting, "0"}, {kThreadsSetting, "1"}};
  for (const std::string &transform : transforms)
    settings[transform] = kOff;
  return settings;
}

/// `good`, with some settings of `bad`.
Settings mixed(Settings good, const Settings &bad, const std::vector<std::string> &names,
               const std::vector<size_t> &part) {
  for (size_t index : part)
    good[names[index]] = valueIn(bad, names[index]);
  return good;
}

} // namespace

void printEvidence(const Trials &trials, const Investigation &investigation) {
  std::string_view title = investigation.symptom() == Symptom::Failure  ? "fails"
                           : investigation.symptom() == Symptom::Cycles ? "takes"
                                                                        : "differs";
  const std::string text = investigation.description();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    printOut("{}", line(title, std::string_view(text).substr(begin, end - begin)));
    title = "";
    begin = end + 1;
  }
  printOut("{}", line("trials", std::to_string(trials.count())));
}

Status bisectOptions(const BisectOptions &options, Progress &progress) {
  Trials trials(options.trials, progress);
  trials.stage = "bisecting options";
  AVOCET_ASSIGN_OR_RETURN(const auto transforms, transformsOf(trials, options.base));
  AVOCET_ASSIGN_OR_RETURN(Settings good, parseSettings("--good", options.good, transforms));
  AVOCET_ASSIGN_OR_RETURN(Settings bad, parseSettings("--bad", options.bad, transforms));
  if (!options.hasGood)
    good = plainest(transforms);
  const std::string ends = line("good", textOf(good)) + line("bad", textOf(bad));
  good = joined(options.base, good);
  bad = joined(options.base, bad);
  const std::vector<std::string> names = differingSettings(good, bad);
  if (names.empty())
    return invalidArgument("--good and --bad are the same settings: " + textOf(good));
  AVOCET_ASSIGN_OR_RETURN(Investigation investigation, Investigation::begin(trials, {good}, {bad}));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<size_t> cause,
                          findMinimalPart(names.size(), [&](const std::vector<size_t> &part) {
                            trials.stage = fmt::format("bisecting options: {} of {}", part.size(), names.size());
                            return investigation.judge({mixed(good, bad, names, part)});
                          }));
  progress.clear();
  printOut("{}", ends);
  for (size_t index : cause)
    printOut("{}", line("cause", fmt::format("{}: {} -> {}", names[index], valueIn(good, names[index]),
                                             valueIn(bad, names[index]))));
  printOut("{}", line("", fmt::format("{} of {} settings that differ", cause.size(), names.size())));
  printEvidence(trials, investigation);
  return Status::ok();
}

namespace {

using compiler::OptionalStep;
using Kind = OptionalStep::Kind;

struct Step {
  std::string phase, transform, pattern;
  OptionalStep::Subject subject;

  explicit Step(const OptionalStep &step)
      : phase(step.phase), transform(step.transform), pattern(step.pattern), subject(step.subject()) {}
};

/// The first `count` transforms run.
RunsStep firstTransforms(size_t count) {
  return [count, next = size_t(0)](const OptionalStep &step) mutable {
    return step.kind == Kind::Rewrite || next++ < count;
  };
}

/// The transforms before number `transform` run, and the first `count` rewrites of that one.
RunsStep firstRewrites(size_t transform, size_t count) {
  return [=, nextTransform = size_t(0), nextRewrite = size_t(0)](const OptionalStep &step) mutable {
    if (step.kind == Kind::Transform)
      return nextTransform++ <= transform;
    return nextTransform <= transform || nextRewrite++ < count;
  };
}

RunsStep allTransforms(std::vector<Step> &steps) {
  return [&steps](const OptionalStep &step) {
    if (step.kind == Kind::Transform)
      steps.emplace_back(step);
    return true;
  };
}

/// As firstRewrites() without a limit; `visit` gets each rewrite of the transform, with its number.
RunsStep visitRewrites(size_t transform, std::function<void(size_t, const OptionalStep &)> visit) {
  return [=, visit = std::move(visit), nextTransform = size_t(0),
          nextRewrite = size_t(0)](const OptionalStep &step) mutable {
    if (step.kind == Kind::Transform)
      return nextTransform++ <= transform;
    if (nextTransform > transform)
      visit(nextRewrite++, step);
    return true;
  };
}

/// "FusePadPattern<Conv2dOp>" of a name with namespaces.
std::string plainName(const std::string &name) {
  static const std::regex kNamespaces(R"((\(anonymous namespace\)|\{anonymous\}|\w+)::)");
  return std::regex_replace(name, kNamespaces, "");
}

class PassSearch {
public:
  PassSearch(const BisectOptions &options, Progress &progress)
      : base_(options.base), progress_(progress), trials_(options.trials, progress) {}

  Status run() {
    AVOCET_RETURN_IF_ERROR(listTransforms());
    AVOCET_ASSIGN_OR_RETURN(const size_t working, firstThatCompiles());
    AVOCET_ASSIGN_OR_RETURN(Investigation investigation,
                            Investigation::begin(trials_, {base_, firstTransforms(working)}, {base_}));
    AVOCET_ASSIGN_OR_RETURN(const Change change, findChange({working, transforms_.size()}, [&](size_t count) {
                              trials_.stage = fmt::format("bisecting {} passes", transforms_.size());
                              return investigation.judge({base_, firstTransforms(count)});
                            }));
    if (change.bad - change.good > 1)
      return printRange(change, investigation);
    return searchInside(change.good, investigation);
  }

private:
  Status listTransforms() {
    const Status compiled = trials_.compileOnly({base_, allTransforms(transforms_)});
    if (transforms_.empty())
      return compiled.isOk() ? failedPrecondition("the compilation has no optional passes") : compiled;
    return Status::ok();
  }

  /// The device may lack an operation that a pass removes.
  Result<size_t> firstThatCompiles() {
    Status status;
    for (size_t count = 0; count < transforms_.size(); ++count) {
      status = trials_.compileOnly({base_, firstTransforms(count)});
      if (status.isOk())
        return count;
    }
    return failedPrecondition("the network cannot be compiled without its last optional pass: " + status.message());
  }

  /// Between none and all rewrites of a transform.
  Status searchInside(size_t transform, Investigation &investigation) {
    const size_t rewrites = countRewrites(transform);
    trials_.stage = fmt::format("bisecting {} rewrites of {}", rewrites, transforms_[transform].transform);
    const auto judge = [&](size_t count) { return investigation.judge({base_, firstRewrites(transform, count)}); };
    AVOCET_ASSIGN_OR_RETURN(const Verdict none, judge(0));
    std::optional<Change> change;
    if (none != Verdict::Bad && rewrites != 0) {
      AVOCET_ASSIGN_OR_RETURN(change, findChange({0, rewrites}, judge));
    }
    progress_.clear();
    printTransform(transform);
    if (!change)
      printOut("{}", line("rewrite", "none: the transform does it outside of patterns, for example by folding"));
    else
      printRewrite(transform, *change, rewrites);
    printEvidence(trials_, investigation);
    return Status::ok();
  }

  /// A compilation that fails later counts, too.
  size_t countRewrites(size_t transform) {
    size_t count = 0;
    (void)trials_.compileOnly({base_, visitRewrites(transform, [&](size_t, const OptionalStep &) { ++count; })});
    return count;
  }

  void printTransform(size_t transform) const {
    const Step &step = transforms_[transform];
    printOut("{}", line("transform", fmt::format("{} of {}: {}, phase {}, {}", transform + 1, transforms_.size(),
                                                 step.transform, step.phase, step.subject.operation)));
  }

  void printRewrite(size_t transform, const Change &change, size_t count) {
    std::optional<Step> found;
    (void)trials_.compileOnly({base_, visitRewrites(transform, [&](size_t number, const OptionalStep &step) {
                                 if (number == change.bad - 1)
                                   found.emplace(step);
                               })});
    const std::string number = change.bad - change.good == 1
                                   ? std::to_string(change.bad)
                                   : fmt::format("one of {} to {}", change.good + 1, change.bad);
    printOut("{}{}{}", line("rewrite", fmt::format("{} of {}: {}", number, count, plainName(found->pattern))),
             line("operator", found->subject.location), line("operation", found->subject.operation));
  }

  /// The candidates in between fail in another way.
  Status printRange(const Change &change, const Investigation &investigation) {
    progress_.clear();
    for (size_t i = change.good; i < change.bad; ++i)
      printTransform(i);
    printOut("{}", line("", "one of these; some fail without the others"));
    printEvidence(trials_, investigation);
    return Status::ok();
  }

  Settings base_;
  Progress &progress_;
  Trials trials_;
  std::vector<Step> transforms_;
};

} // namespace

Status bisectPasses(const BisectOptions &options, Progress &progress) { return PassSearch(options, progress).run(); }

} // namespace avocet::tool
