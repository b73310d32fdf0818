//===- CompilerSearch.cpp - Versions of the compiler that make a result wrong -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "avocet/base/StandardStreams.h"
#include "sources/SourceText.h"

#include <fmt/format.h>

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

} // namespace avocet::tool
