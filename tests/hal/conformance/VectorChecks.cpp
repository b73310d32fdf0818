//===- VectorChecks.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorChecks.h"

#include <gtest/gtest.h>

namespace avocet::hal::conformance {

bool isOffered(RunKind kind) {
  return kind == RunKind::Burst || kind == RunKind::FmqBurst || kind == RunKind::Fenced ||
         kind == RunKind::DeviceMemory;
}

void checkAnswers(const CaseResult &result) {
  for (const RunResult &run : result.runs) {
    EXPECT_NE(run.verdict, Verdict::Failed) << describe(result.info, run);
    if (isOffered(run.kind) && result.info.suite == Suite::Driver)
      EXPECT_NE(run.verdict, Verdict::Skipped) << describe(result.info, run);
    if (result.info.suite == Suite::Driver)
      EXPECT_NE(run.verdict, Verdict::Unsupported) << describe(result.info, run);
  }
}

} // namespace avocet::hal::conformance
