//===- VectorsTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The real vectors on the simulated device, in shards that run in parallel. Under sanitizers a sample of the cases.

#include "KnownUnsupported.h"
#include "avocet/hal/Driver.h"
#include "avocet/hal/conformance/Runner.h"
#include "avocet/hal/conformance/ScratchDirectory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace avocet::hal::conformance {
namespace {

constexpr size_t kShards = 4;
/// One case of this many.
constexpr size_t kEvery = AVOCET_CONFORMANCE_EVERY;

const std::string kFolder = std::string(AVOCET_SHARED_DATA) + "/conformance/vectors";

/// The listed operation that a case contains, or null.
const KnownUnsupported *findKnown(const CaseInfo &info) {
  for (const KnownUnsupported &known : kKnownUnsupported)
    if (std::ranges::find(info.operations, known.operation) != info.operations.end())
      return &known;
  return nullptr;
}

class Vectors : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override {
    if (std::string_view(AVOCET_SHARED_DATA).empty() || !std::filesystem::exists(kFolder))
      GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/vectors";
  }

  std::vector<CaseRef> shard() {
    auto all = findCases(kFolder);
    EXPECT_TRUE(all.isOk()) << all.status().toString();
    std::vector<CaseRef> chosen;
    for (size_t i = 0; all.isOk() && i < all->size(); ++i)
      if (i % kEvery == 0 && i / kEvery % kShards == GetParam())
        chosen.push_back((*all)[i]);
    return chosen;
  }

  static void check(const CaseResult &result) {
    const KnownUnsupported *known = findKnown(result.info);
    for (const RunResult &run : result.runs) {
      EXPECT_NE(run.verdict, Verdict::Failed) << describe(result.info, run);
      if (run.verdict == Verdict::Unsupported && result.info.suite == Suite::Driver)
        EXPECT_NE(known, nullptr) << "has become unsupported: " << describe(result.info, run);
      // A refusal is all that is asked of an invalid model.
      if (run.verdict == Verdict::Passed && run.kind != RunKind::Validation)
        EXPECT_EQ(known, nullptr) << known->operation << " is supported and still listed: " << result.info.name;
    }
  }
};

TEST_P(Vectors, giveTheirAnswers) {
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  DriverOptions driver;
  driver.cacheDirectory = scratch->path();
  auto device = openDevice(driver);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  const std::vector<CaseRef> cases = shard();
  ASSERT_GT(cases.size(), 10u);
  const RunnerResult result = runCases(*device, cases, {});
  ASSERT_EQ(result.cases.size(), cases.size());
  EXPECT_EQ(result.abandoned, 0u);
  for (const CaseResult &entry : result.cases)
    check(entry);
  EXPECT_GT(summarize(result.cases).total.passed, cases.size() / 4);
}

INSTANTIATE_TEST_SUITE_P(Shards, Vectors, testing::Range<size_t>(0, kShards));

} // namespace
} // namespace avocet::hal::conformance
