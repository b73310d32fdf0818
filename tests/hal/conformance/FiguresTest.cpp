//===- FiguresTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The figures of runs agree with each other (FigureRules.h), of random graphs and of all networks at hand.
// AVOCET_FIGURE_GRAPHS is the number of graphs for each target; `avocet random` checks the same.

#include "ExplainedArtefacts.h"
#include "FigureRules.h"
#include "GoldenModels.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/validation/RandomGraphs.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace avocet::hal::conformance {
namespace {

constexpr const char *kTargets[] = {"e256", "e256s", "m512", "p4096"};

uint64_t numGraphs() {
  const char *text = std::getenv("AVOCET_FIGURE_GRAPHS");
  return text ? parseUnsigned(text, 1, UINT32_MAX).value_or(1) : AVOCET_FIGURE_GRAPHS;
}

class RandomFigures : public testing::TestWithParam<const char *> {};

TEST_P(RandomFigures, KeepTheirRules) {
  DriverOptions options;
  options.target = GetParam();
  options.inspect = [](const compiler::CompileResult &result) { return tool::checkExplained(result, GetParam()); };
  RandomGraphOptions graphs;
  graphs.seed = 35;
  graphs.numGraphs = numGraphs();
  graphs.runner.kinds = KindSet().add(RunKind::General);
  const std::shared_ptr<IDevice> cpu = *openCpuDevice({.compilerLibrary = "", .cacheDirectory = "", .threads = 1});
  const auto summary = runRandomGraphs(*openDevice(options), *cpu, graphs);
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->graphs, numGraphs());
  for (const RandomGraphFailure &failure : summary->failures)
    ADD_FAILURE() << "graph " << failure.graph << ": " << failure.reason << ": " << failure.detail << ": "
                  << testing::PrintToString(failure.reduced);
}

INSTANTIATE_TEST_SUITE_P(All, RandomFigures, testing::ValuesIn(kTargets),
                         [](const auto &info) { return std::string(info.param); });

class NetworkFigures : public testing::TestWithParam<golden::GoldenModel> {};

TEST_P(NetworkFigures, KeepTheirRules) {
  for (const char *target : kTargets) {
    tool::Progress progress;
    tool::ModelChoice choice{GetParam().path, target, ""};
    choice.sourceMap = true;
    Result<tool::Measured> base = tool::measure(choice, progress);
    ASSERT_TRUE(base.isOk()) << target << ": " << base.status().toString();
    const Result<tool::Explanation> explanation = tool::explainNetwork(std::move(*base));
    ASSERT_TRUE(explanation.isOk()) << target << ": " << explanation.status().toString();
    const avocet::Status status = tool::checkFigures(*explanation);
    EXPECT_TRUE(status.isOk()) << target << ": " << status.toString();
  }
}

INSTANTIATE_TEST_SUITE_P(All, NetworkFigures, testing::ValuesIn(golden::goldenModels()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::hal::conformance
