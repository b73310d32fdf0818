//===- VectorChecks.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorChecks.h"

#include "KnownUnsupported.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::hal::conformance {

/// The listed operation that a case contains, or null.
static const KnownUnsupported *findKnown(const CaseInfo &info) {
  for (const KnownUnsupported &known : kKnownUnsupported)
    if (std::ranges::find(info.operations, known.operation) != info.operations.end())
      return &known;
  return nullptr;
}

bool isOffered(RunKind kind) {
  return kind == RunKind::Burst || kind == RunKind::FmqBurst || kind == RunKind::Fenced ||
         kind == RunKind::DeviceMemory;
}

void checkAnswers(const CaseResult &result) {
  for (const RunResult &run : result.runs) {
    const KnownUnsupported *known = findKnown(result.info);
    EXPECT_NE(run.verdict, Verdict::Failed) << describe(result.info, run);
    if (isOffered(run.kind) && result.info.suite == Suite::Driver)
      EXPECT_NE(run.verdict, Verdict::Skipped) << describe(result.info, run);
    if (run.verdict == Verdict::Unsupported && result.info.suite == Suite::Driver)
      EXPECT_NE(known, nullptr) << "has become unsupported: " << describe(result.info, run);
    // An invalid model passes when it is refused, so it may contain a listed operation.
    if (run.verdict == Verdict::Passed && run.kind != RunKind::Validation)
      EXPECT_EQ(known, nullptr) << known->operation << " is supported and still listed: " << result.info.name;
  }
}

} // namespace avocet::hal::conformance
