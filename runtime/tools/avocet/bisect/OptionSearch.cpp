//===- OptionSearch.cpp - Settings that make a result wrong -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "TextTable.h"
#include "avocet/base/StandardStreams.h"
#include "sources/SourceText.h"

#include <fmt/format.h>

namespace avocet::tool {
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
  Settings settings = {{kOptimiseSetting, "0"}, {kThreadsSetting, "1"}};
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
  std::string_view title = investigation.symptom() == Symptom::Failure ? "fails" : "differs";
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

} // namespace avocet::tool
