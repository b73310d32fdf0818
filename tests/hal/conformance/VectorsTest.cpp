//===- VectorsTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the real vectors on the simulated device, in shards that run in parallel. Sanitizer builds run a sample only.

#include "VectorChecks.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"
#include "avocet/validation/QueueBurst.h"
#include "avocet/validation/Runner.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace avocet::hal::conformance {
namespace {

constexpr size_t kShards = 4;
/// The tests run one case in this many.
constexpr size_t kEvery = AVOCET_CONFORMANCE_EVERY;
constexpr size_t kServiceEvery = 20; ///< one in this many of those cases, through the service
constexpr size_t kOfferedEvery = 5;  ///< one in this many of those cases, in the optional kinds

const std::string kFolder = std::string(AVOCET_SHARED_DATA) + "/conformance/vectors";

bool isMissing() { return std::string_view(AVOCET_SHARED_DATA).empty() || !std::filesystem::exists(kFolder); }

/// The optional kinds that the device offers, or all other kinds.
KindSet kindsOffered(bool offered) {
  KindSet kinds;
  for (size_t i = 0; i < kNumRunKinds; ++i)
    if (isOffered(static_cast<RunKind>(i)) == offered)
      kinds.add(static_cast<RunKind>(i));
  return kinds;
}

/// One case in `every`, beginning with the case at index `first`.
std::vector<CaseRef> sample(size_t first, size_t every) {
  auto all = findCases(kFolder);
  EXPECT_TRUE(all.isOk()) << all.status().toString();
  std::vector<CaseRef> chosen;
  for (size_t i = first; all.isOk() && i < all->size(); i += every)
    chosen.push_back((*all)[i]);
  return chosen;
}

void expectAnswers(const std::shared_ptr<IDevice> &device, const std::vector<CaseRef> &cases,
                   const RunnerOptions &options) {
  ASSERT_GT(cases.size(), 10u);
  const RunnerResult result = runCases(device, cases, options);
  ASSERT_EQ(result.cases.size(), cases.size());
  EXPECT_EQ(result.abandoned, 0u);
  for (const CaseResult &entry : result.cases)
    checkAnswers(entry);
  EXPECT_GT(summarize(result.cases).total.passed, cases.size() / 4);
}

class Vectors : public testing::TestWithParam<size_t> {};

TEST_P(Vectors, PassInProcess) {
  if (isMissing())
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/vectors";
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  DriverOptions driver;
  driver.cacheDirectory = scratch->path();
  auto device = openDevice(driver);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  RunnerOptions options;
  options.kinds = kindsOffered(false);
  expectAnswers(*device, sample(GetParam() * kEvery, kShards * kEvery), options);
  options.kinds = kindsOffered(true);
  options.fmqBurst = [](const Model &, const std::shared_ptr<IPreparedModel> &model) {
    return burstThroughQueues(model);
  };
  expectAnswers(*device, sample(GetParam(), kShards * kOfferedEvery * kEvery), options);
}

/// A sample of the cases, in all kinds, in a service in another process.
TEST(ServiceVectors, PassThroughTheService) {
  if (isMissing())
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/vectors";
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  auto service = ServiceProcess::start(AVOCETD, scratch->path() + "/socket", {"--cache-dir", scratch->path()});
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  auto device = connectDevice(service->socket(), "avocet-e256", {.burst = BurstKind::Calls});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  auto queues = connectDevice(service->socket(), "avocet-e256", {.burst = BurstKind::Queues});
  ASSERT_TRUE(queues.isOk()) << queues.error().message;
  RunnerOptions options;
  options.fmqBurst = [&](const Model &model, const std::shared_ptr<IPreparedModel> &) {
    auto prepared = (*queues)->prepareModel(model, {});
    return prepared ? (*prepared)->configureBurst() : hal::Result<std::shared_ptr<IBurst>>(prepared.error());
  };
  expectAnswers(*device, sample(7, kServiceEvery * kEvery), options);
  EXPECT_EQ(service->death(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Shards, Vectors, testing::Range<size_t>(0, kShards));

} // namespace
} // namespace avocet::hal::conformance
