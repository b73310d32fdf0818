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
#include "Sanitizer.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/runtime/SimBackend.h"
#include "avocet/validation/RandomGraphs.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace avocet::hal::conformance {
namespace {

constexpr const char *kTargets[] = {"e256", "e256s", "m512", "p4096"};

uint64_t numGraphs() {
  const char *text = std::getenv("AVOCET_FIGURE_GRAPHS");
  const avocet::Result<uint64_t> count = text ? parseUnsigned(text, 1, UINT32_MAX) : AVOCET_FIGURE_GRAPHS;
  EXPECT_TRUE(count.isOk()) << "AVOCET_FIGURE_GRAPHS=" << text << " is no number";
  return count.isOk() ? *count : 1;
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

/// Nothing for networks that the target refuses.
void checkNetwork(const std::string &path) {
  runtime::registerSimBackend();
  for (const char *target : kTargets) {
    SCOPED_TRACE(path + " on " + target);
    network::Observer observer;
    network::ModelChoice choice{path, target, ""};
    choice.sourceMap = true;
    avocet::Result<documents::Measured> base = documents::measure(choice, observer);
    if (!base && base.status().code() != StatusCode::Internal)
      continue;
    ASSERT_TRUE(base.isOk()) << base.status().toString();
    const avocet::Result<documents::Explanation> explanation = documents::explainNetwork(std::move(*base));
    ASSERT_TRUE(explanation.isOk()) << explanation.status().toString();
    const avocet::Status status = tool::checkFigures(*explanation);
    EXPECT_TRUE(status.isOk()) << status.toString();
  }
}

class NetworkFigures : public testing::TestWithParam<golden::GoldenModel> {};

TEST_P(NetworkFigures, KeepTheirRules) { checkNetwork(GetParam().path); }

INSTANTIATE_TEST_SUITE_P(All, NetworkFigures, testing::ValuesIn(golden::goldenModels()),
                         [](const auto &info) { return info.param.name; });

/// Small networks that once failed; with many sections, commands or waits.
TEST(CaseFigures, KeepTheirRules) {
  const std::filesystem::path folder = std::filesystem::path(AVOCET_SHARED_DATA) / "cases";
  if (kHasSanitizer || !std::filesystem::is_directory(folder))
    GTEST_SKIP() << "needs " << folder << ", and minutes with a sanitizer";
  for (const auto &file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".tflite")
      checkNetwork(file.path().string());
}

} // namespace
} // namespace avocet::hal::conformance
