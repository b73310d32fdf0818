//===- VectorsTest.cpp - Vectors in random steps --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the tree's own vectors on two simulated devices. A hash assigns each operation to one of them, and some branches
// and loops to none, so that the host interprets them. A third device takes the place of the CPU.

#include "MaskedDevice.h"
#include "PartitioningDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/validation/Runner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

namespace avocet::hal::test {
namespace {

using namespace conformance;

std::shared_ptr<IDevice> open(const std::string &target) {
  DriverOptions options;
  options.target = target;
  auto device = openDevice(options);
  EXPECT_TRUE(device.isOk()) << device.error().message;
  return device ? *device : nullptr;
}

/// 0 and 1: a device; 2: neither, only for branches and loops.
unsigned ownerOf(unsigned seed, const Model &model, size_t index) {
  const OperationType type = model.main.operations[index].type;
  uint64_t hash =
      (seed * 1000003ULL + index) * 0x9E3779B97F4A7C15ULL ^ static_cast<uint64_t>(type) * 0xC2B2AE3D27D4EB4FULL;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9ULL;
  hash ^= hash >> 32;
  const bool isControlFlow = type == OperationType::If || type == OperationType::While;
  return static_cast<unsigned>(hash % (isControlFlow ? 3 : 2));
}

/// Only the divided parts are masked: the CPU does what both devices leave only if one of them fails.
std::shared_ptr<IDevice> makeDevice(unsigned seed, std::shared_ptr<PartitionCounters> counters) {
  const std::shared_ptr<IDevice> first = open("e256");
  const std::shared_ptr<IDevice> second = open("m512");
  auto mask = [seed](unsigned owner) {
    return [seed, owner](const Model &model, size_t index) { return ownerOf(seed, model, index) == owner; };
  };
  auto cpu = maskDevice(first, "cpu", [](const Model &, size_t) { return false; });
  return makePartitioningDevice({maskDevice(first, "first", mask(0)), maskDevice(second, "second", mask(1))}, cpu,
                                first, std::move(counters));
}

std::vector<CaseRef> sample(const std::string &path, size_t every) {
  auto cases = findCases(path);
  EXPECT_TRUE(cases.isOk()) << cases.status().toString();
  std::vector<CaseRef> result;
  for (size_t i = 0; cases && i < cases->size(); i += every)
    result.push_back((*cases)[i]);
  return result;
}

/// A device refuses a value of another step that it accepts within a whole model. The whole model then runs on the CPU,
/// which cannot use buffers of the device.
bool isKnownRefusal(const CaseResult &entry, const RunResult &run) {
  return run.kind == RunKind::DeviceMemory && entry.info.name == "own/shapes/sliceFromComputedBeyond";
}

void runAll(const std::string &path, unsigned seed, size_t every) {
  auto counters = std::make_shared<PartitionCounters>();
  RunnerOptions options;
  options.jobs = 2;
  const RunnerResult result = runCases(makeDevice(seed, counters), sample(path, every), options);
  EXPECT_EQ(result.abandoned, 0U);
  for (const CaseResult &entry : result.cases)
    for (const RunResult &run : entry.runs)
      if (!isKnownRefusal(entry, run))
        EXPECT_NE(run.verdict, Verdict::Failed) << describe(entry.info, run);
  EXPECT_EQ(counters->differences, 0U);
  EXPECT_GT(counters->compared, 0U);
  EXPECT_GT(counters->divided, 0U);
  const Summary summary = summarize(result.cases);
  std::cout << "prepared " << counters->prepared << ", divided " << counters->divided << ", host steps "
            << counters->hostSteps << ", on the CPU " << counters->onCpu << ", compared " << counters->compared << "\n";
  for (size_t kind = 0; kind < kNumRunKinds; ++kind)
    std::cout << toString(static_cast<RunKind>(kind)) << ": " << summary.byKind[kind].passed << " passed, "
              << summary.byKind[kind].failed << " failed, " << summary.byKind[kind].skipped << " skipped\n";
}

class PartitionVectors : public ::testing::TestWithParam<unsigned> {};

TEST_P(PartitionVectors, PassInRandomSteps) { runAll(AVOCET_OWN_VECTORS, GetParam(), AVOCET_PARTITION_EVERY); }

INSTANTIATE_TEST_SUITE_P(Seeds, PartitionVectors, ::testing::Values(1U));

/// The environment variables AVOCET_PARTITION_SEED and AVOCET_PARTITION_EVERY choose more than the sample.
TEST(PartitionSharedVectors, PassInRandomSteps) {
  const std::string folder = std::string(AVOCET_SHARED_DATA) + "/conformance/vectors";
  if (std::string_view(AVOCET_SHARED_DATA).empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/vectors";
  const char *seed = std::getenv("AVOCET_PARTITION_SEED");
  const char *every = std::getenv("AVOCET_PARTITION_EVERY");
  runAll(folder, seed != nullptr ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 1,
         every != nullptr ? static_cast<size_t>(std::strtoull(every, nullptr, 10)) : 61);
}

} // namespace
} // namespace avocet::hal::test
