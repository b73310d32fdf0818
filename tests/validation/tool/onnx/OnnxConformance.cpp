//===- OnnxConformance.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxConformance.h"

#include "OnnxList.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/format.h>

namespace avocet::tool {

using hal::conformance::CaseResult;

Result<std::vector<CaseResult>> runOnnxConformance(const OnnxConformanceOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<OnnxCase> cases, findOnnxCases(options.folder));
  std::erase_if(cases, [&](const OnnxCase &each) { return options.isChosen && !options.isChosen(each.info); });
  if (cases.empty())
    return notFound(fmt::format("no model in {} is chosen by the filters", options.folder));
  AVOCET_ASSIGN_OR_RETURN(const auto target, firmware::Target::load(options.runner.target));
  AVOCET_ASSIGN_OR_RETURN(const compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  return runOnnxCases(compiler, target, cases, options.runner);
}

Status checkOnnxList(const OnnxConformanceOptions &options, const std::vector<CaseResult> &results, bool isWhole) {
  AVOCET_ASSIGN_OR_RETURN(const OnnxList list, OnnxList::read(options.list));
  if (options.update)
    return writeFile(options.list, list.updated(results));
  const std::vector<std::string> differences = list.differences(results, isWhole);
  for (const std::string &line : differences)
    printErr("{}\n", line);
  if (differences.empty())
    return Status::ok();
  return internalError(fmt::format("{} of {} models differ from {}; --update writes it", differences.size(),
                                   results.size(), options.list));
}

} // namespace avocet::tool
