//===- Results.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/validation/Results.h"

#include <algorithm>

namespace avocet::hal::conformance {

std::string_view toString(RunKind kind) {
  static constexpr std::array<std::string_view, kNumRunKinds> kNames = {
      "general",    "dynamicShape", "oneByteShort", "signedCoupling", "caching", "reusable",    "asynchronous",
      "validation", "loopTimeout",  "burst",        "fmqBurst",       "fenced",  "deviceMemory"};
  return kNames[static_cast<size_t>(kind)];
}

Verdict CaseResult::verdict() const {
  for (Verdict verdict : {Verdict::Failed, Verdict::Unsupported, Verdict::Passed})
    if (std::ranges::any_of(runs, [&](const RunResult &run) { return run.verdict == verdict; }))
      return verdict;
  return Verdict::Skipped;
}

void Tally::add(Verdict verdict) {
  ++cases;
  passed += verdict == Verdict::Passed;
  failed += verdict == Verdict::Failed;
  unsupported += verdict == Verdict::Unsupported;
  skipped += verdict == Verdict::Skipped;
}

namespace {

const std::string &unsupportedReason(const CaseResult &result) {
  return std::ranges::find(result.runs, Verdict::Unsupported, &RunResult::verdict)->reason;
}

void addCase(Summary &summary, const CaseResult &result) {
  const Verdict verdict = result.verdict();
  summary.total.add(verdict);
  for (const std::string &operation : result.info.operations)
    summary.byOperation[operation].contains.add(verdict);
  OperationTally &about = summary.byOperation[result.info.primaryOperation];
  about.about.add(verdict);
  if (verdict == Verdict::Unsupported)
    ++about.unsupportedReasons[unsupportedReason(result)];
  for (const RunResult &run : result.runs)
    summary.byKind[static_cast<size_t>(run.kind)].add(run.verdict);
}

} // namespace

Summary summarize(const std::vector<CaseResult> &results) {
  Summary summary;
  for (const CaseResult &result : results)
    addCase(summary, result);
  return summary;
}

std::string describe(const CaseInfo &info, const RunResult &run) {
  std::string text = info.name + " [" + std::string(toString(run.kind)) + "] " + run.reason;
  return run.detail.empty() ? text : text + ": " + run.detail;
}

} // namespace avocet::hal::conformance
