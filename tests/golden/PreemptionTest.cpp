//===- PreemptionTest.cpp - How long an urgent network waits --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every network runs on every shipped target at low priority, and the digits network interrupts it at high priority.
// The digits network must start within 100 us of device time at any point of the low network. Both must give the same
// bits as when they run alone. Each run submits one urgent job at a given device cycle, so that the test is the same on
// every host.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"
#include "Tenant.h"

#include "avocet/firmware_iface/Target.h"
#include "avocet/runtime/SimBackend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <tuple>

namespace avocet::golden {
namespace {

constexpr uint32_t kLow = 1, kHigh = 5; ///< priorities, and the jobs' userData in profiles
constexpr double kBoundUs = 100;
/// Run n (1 to kParts - 1) submits the urgent job after n / kParts of the cycles of the low network alone.
constexpr uint64_t kParts = 13;

class PreemptionTest : public testing::TestWithParam<std::tuple<GoldenModel, std::string>> {
protected:
  const GoldenModel &model() const { return std::get<0>(GetParam()); }
  const std::string &target() const { return std::get<1>(GetParam()); }

  /// Opens a network on the device, runs it alone, and stores its outputs in `alone`.
  void openTenant(const GoldenModel &golden, uint32_t priority, std::unique_ptr<Tenant> &tenant,
                  std::vector<Bytes> &alone) {
    Result<std::vector<GoldenCase>> cases = loadCases(golden);
    ASSERT_TRUE(cases.isOk()) << cases.status().toString();
    Result<session::LoadedModel> compiled = compile(golden.path, target());
    ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
    if (device_ == nullptr)
      ASSERT_NO_FATAL_FAILURE(openDevice(compiled->target));
    Result<std::unique_ptr<Tenant>> opened = Tenant::open(device_, *compiled, priority, priority);
    ASSERT_TRUE(opened.isOk()) << opened.status().toString();
    tenant = std::move(opened).value();
    ASSERT_TRUE(tenant->setInputs(cases->front().inputs).isOk());
    ASSERT_TRUE(tenant->run().isOk());
    alone = tenant->outputs();
  }

  void openDevice(std::shared_ptr<const firmware::Target> target) {
    runtime::registerSimBackend();
    runtime::BackendOptions options;
    options.target = std::move(target);
    options.profileSink = [this](const firmware::JobProfile &profile) { jobEnded(profile); };
    Result<std::shared_ptr<runtime::Device>> device = runtime::Device::open("sim", options);
    ASSERT_TRUE(device.isOk()) << device.status().toString();
    device_ = std::move(device).value();
  }

  double toUs(uint64_t cycles) const {
    return static_cast<double>(cycles) * 1e6 / static_cast<double>(device_->target().clockHz());
  }

  // On the device's thread:

  void jobEnded(const firmware::JobProfile &profile) {
    if (profile.record.userData == kLow) {
      lowCycles_ = profile.record.counters.cycles;
      numEnded_ += isDisturbing_;
      if (isDisturbing_)
        stopped_.push_back(profile.preemption);
    } else if (isStarting_.exchange(false)) {
      at(profile.record.endCycle + 1, [this] { note(low_->submit()); });
      at(profile.record.endCycle + 1 + offset_, [this] { note(high_->submit()); });
    } else if (isDisturbing_) {
      urgent_.push_back(profile);
      ++numEnded_;
    }
    numEnded_.notify_all();
  }

  void at(uint64_t cycle, std::function<void()> call) {
    note(runtime::callAtCycle(device_->backend(), cycle, std::move(call)));
  }

  void note(const Status &status) {
    if (!status.isOk() && error_.isOk())
      error_ = status;
  }

  // On the test's thread:

  /// Runs the low network and submits the urgent one `offset` cycles after it.
  void disturb(uint64_t offset) {
    offset_ = offset;
    numEnded_ = 0;
    isDisturbing_ = isStarting_ = true;
    ASSERT_TRUE(high_->run().isOk());
    for (uint32_t seen = numEnded_; seen < 2; seen = numEnded_)
      numEnded_.wait(seen);
    low_->fence().wait();
    high_->fence().wait();
    ASSERT_TRUE(error_.isOk()) << error_.toString();
    ASSERT_TRUE(statusOf(low_->fence().outcome()).isOk()) << statusOf(low_->fence().outcome()).toString();
    EXPECT_EQ(low_->outputs(), lowAlone_);
    EXPECT_EQ(high_->outputs(), highAlone_);
    isDisturbing_ = false;
    numPreemptions_ += urgent_.back().record.endCycle < low_->fence().outcome().endCycle;
  }

  double worstUs() const {
    double worst = 0;
    for (const firmware::JobProfile &job : urgent_)
      worst = std::max(worst, toUs(job.record.startCycle - job.record.arrivalCycle));
    return worst;
  }

  /// Prints and records how long urgent jobs waited and how many bytes the low network moved for them.
  void reportSummary() {
    firmware::PreemptionCounters sum, most;
    for (const firmware::PreemptionCounters &run : stopped_) {
      sum.preemptions += run.preemptions;
      most.liveBytes = std::max(most.liveBytes, run.liveBytes);
      most.evacuatedBytes = std::max(most.evacuatedBytes, run.evacuatedBytes);
    }
    std::printf(
        "%-28s %-6s %3zu urgent jobs, the longest wait %5.1f us of device time; %2llu stops, at most %7llu live "
        "and %7llu evacuated bytes in a run\n",
        model().name.c_str(), target().c_str(), urgent_.size(), worstUs(),
        static_cast<unsigned long long>(sum.preemptions), static_cast<unsigned long long>(most.liveBytes),
        static_cast<unsigned long long>(most.evacuatedBytes));
    RecordProperty("longestWaitUs", std::to_string(worstUs()));
    RecordProperty("preemptions", std::to_string(sum.preemptions));
    RecordProperty("mostLiveBytes", std::to_string(most.liveBytes));
    RecordProperty("mostEvacuatedBytes", std::to_string(most.evacuatedBytes));
  }

  std::shared_ptr<runtime::Device> device_;
  std::unique_ptr<Tenant> low_, high_;
  std::vector<Bytes> lowAlone_, highAlone_;
  std::atomic<bool> isDisturbing_{false}, isStarting_{false};
  std::atomic<uint32_t> numEnded_{0};
  std::atomic<uint64_t> offset_{0};
  // The device's thread writes these during a run.
  std::vector<firmware::JobProfile> urgent_;
  std::vector<firmware::PreemptionCounters> stopped_; ///< of the low network, one per run
  std::atomic<uint64_t> lowCycles_{0};
  Status error_;
  size_t numPreemptions_ = 0;
};

TEST_P(PreemptionTest, UrgentJobStartsWithinBound) {
  ASSERT_NO_FATAL_FAILURE(openTenant(model(), kLow, low_, lowAlone_));
  ASSERT_NO_FATAL_FAILURE(openTenant(goldenModels().front(), kHigh, high_, highAlone_));
  const uint64_t alone = lowCycles_;
  for (uint64_t part = 1; part < kParts; ++part)
    ASSERT_NO_FATAL_FAILURE(disturb(alone * part / kParts));
  reportSummary();
  EXPECT_EQ(urgent_.size(), kParts - 1);
  EXPECT_EQ(stopped_.size(), kParts - 1);
  for (const firmware::PreemptionCounters &run : stopped_)
    EXPECT_LE(run.evacuatedBytes, run.liveBytes);
  EXPECT_LE(worstUs(), kBoundUs);
  // A short network can end before the device has to stop it.
  if (toUs(alone) > 3 * kBoundUs)
    EXPECT_GE(numPreemptions_, urgent_.size() / 2);
}

std::string testName(const testing::TestParamInfo<PreemptionTest::ParamType> &info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Models, PreemptionTest,
                         testing::Combine(testing::ValuesIn(goldenModels()),
                                          testing::ValuesIn(firmware::Target::shippedNames())),
                         testName);

INSTANTIATE_TEST_SUITE_P(LongKernels, PreemptionTest,
                         testing::Combine(testing::Values(longKernels()),
                                          testing::ValuesIn(firmware::Target::shippedNames())),
                         testName);

} // namespace
} // namespace avocet::golden
