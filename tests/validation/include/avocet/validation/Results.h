//===- Results.h - Verdicts and totals --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verdicts of runs and cases, and the counts that reports show. Plain values.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RESULTS_H
#define AVOCET_VALIDATION_RESULTS_H

#include "avocet/hal/vectors/TestCase.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

/// "oneByteShort"
std::string_view toString(RunKind kind);

enum class Verdict {
  Passed,
  Failed,
  Unsupported, ///< refused by getSupportedOperations
  Skipped,     ///< the device may decline, and did
};

struct RunResult {
  RunKind kind = RunKind::General;
  Verdict verdict = Verdict::Passed;
  std::string reason; ///< empty when passed; the same text for the same reason, so that reasons can be counted
  std::string detail; ///< of a failure: output, index, actual, expected
};

struct CaseResult {
  CaseInfo info;
  std::vector<RunResult> runs; ///< one for each requested kind that applies to the case
  double milliseconds = 0;

  /// Failed if a run failed, else Unsupported if one was, else Passed if one passed, else Skipped.
  Verdict verdict() const;
};

struct Tally {
  uint64_t cases = 0, passed = 0, failed = 0, unsupported = 0, skipped = 0;
  void add(Verdict verdict);
};

struct OperationTally {
  Tally about;                                        ///< cases with this primary operation
  Tally contains;                                     ///< cases that contain it
  std::map<std::string, uint64_t> unsupportedReasons; ///< of the first
};

struct Summary {
  Tally total;                                       ///< by case
  std::array<Tally, kNumRunKinds> byKind;            ///< by run
  std::map<std::string, OperationTally> byOperation; ///< by case
};

Summary summarize(const std::vector<CaseResult> &results);

/// "case [kind] reason: detail"
std::string describe(const CaseInfo &info, const RunResult &run);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RESULTS_H
