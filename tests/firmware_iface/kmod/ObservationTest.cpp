//===- ObservationTest.cpp - What the driver shows of a device --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <filesystem>
#include <regex>

namespace avocet::kmod {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr uint32_t kBytes = 4096;

std::string fdinfo(const Driver &driver) { return readText(fmt::format("/proc/self/fdinfo/{}", driver.file())); }

/// The number after a key of fdinfo.
uint64_t number(const std::string &info, const std::string &key) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(info, found, std::regex(key + ":\\s+([0-9]+)"))) << key << " in\n" << info;
  return found.empty() ? 0 : std::stoull(found[1]);
}

TEST(ObservationTest, DebugfsShowsContextsRingsAndMappings) {
  Driver driver;
  CopyJob job(driver, kBytes);
  EXPECT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
  const std::string folder = debugFolder();
  EXPECT_THAT(readText(folder + "/state"), HasSubstr("target: e256"));
  EXPECT_THAT(readText(folder + "/contexts"), ContainsRegex("jobs 1 queued 0 mappings 3 bytes 12288"));
  EXPECT_THAT(readText(folder + "/rings"), HasSubstr("tail 1 head 1"));
  EXPECT_THAT(readText(folder + "/mappings"),
              HasSubstr(fmt::format("{:#x} bytes 4096 access rw", job.outputAddress())));
}

TEST(ObservationTest, FaultLogKeepsTheFault) {
  Driver driver;
  CopyJob job(driver, kBytes);
  job.breakRegion();
  const avocet_wait outcome = job.run();
  EXPECT_EQ(outcome.state, AVOCET_JOB_FAULTED);
  EXPECT_THAT(readText(debugFolder() + "/faults"),
              HasSubstr(fmt::format("context {} job 1 fault {} engine 2.0 command {}", job.context(),
                                    outcome.fault_code, outcome.fault_command)));
}

TEST(ObservationTest, SysfsShowsClockAndUse) {
  Driver driver;
  const std::string folder = "/sys/class/accel/accel0/device/avocet/";
  EXPECT_EQ(readText(folder + "clock_hz"), fmt::format("{}\n", driver.parameter(AVOCET_PARAM_CLOCK_HZ)));
  EXPECT_EQ(readText(folder + "target_name"), "e256\n");
  EXPECT_THAT(readText(folder + "firmware_version"), testing::StartsWith("1."));
  const uint64_t before = std::stoull(readText(folder + "busy_time_us"));
  EXPECT_EQ(CopyJob(driver, kSlowBytes, kSlowRepetitions).run().state, AVOCET_JOB_COMPLETE);
  EXPECT_GT(std::stoull(readText(folder + "busy_time_us")), before);
  for (const char *name : {"utilization", "utilisation"})
    EXPECT_LE(std::stoull(readText(folder + name)), 100U) << name;
}

TEST(ObservationTest, FdinfoAndQueryCountTheFilesJobs) {
  Driver driver, other;
  CopyJob job(driver, kBytes);
  const avocet_wait first = job.run(), second = job.run();
  avocet_counters counters{};
  avocet_query query{.what = AVOCET_QUERY_COUNTERS,
                     .pad = 0,
                     .data = reinterpret_cast<uintptr_t>(&counters),
                     .size = sizeof(counters)};
  ASSERT_EQ(driver.call(AVOCET_IOCTL_QUERY, &query), 0);
  EXPECT_EQ(query.size, sizeof(counters));
  const uint64_t dma = first.counters.busy_cycles[AVOCET_ENGINE_DMA] + second.counters.busy_cycles[AVOCET_ENGINE_DMA];
  EXPECT_GT(dma, 0U);
  EXPECT_EQ(counters.cycles, first.counters.cycles + second.counters.cycles);
  EXPECT_EQ(counters.busy_cycles[AVOCET_ENGINE_DMA], dma);
  const std::string info = fdinfo(driver);
  EXPECT_THAT(info, HasSubstr("drm-driver:\tavocet"));
  EXPECT_EQ(number(info, "drm-cycles-dma"), dma);
  EXPECT_EQ(number(info, "drm-engine-dma"), dma * 1'000'000'000 / driver.parameter(AVOCET_PARAM_CLOCK_HZ));
  EXPECT_EQ(number(info, "drm-total-memory"), 12U);
  EXPECT_EQ(number(info, "drm-resident-memory"), 12U);
  EXPECT_EQ(number(info, "avocet-jobs"), 2U);
  EXPECT_EQ(number(fdinfo(other), "drm-cycles-dma"), 0U);
}

TEST(ObservationTest, TracepointsFollowAJob) {
  const std::string tracing = "/sys/kernel/tracing/";
  (void)::mount("tracefs", tracing.c_str(), "tracefs", 0, nullptr);
  writeText(tracing + "events/avocet/enable", "1");
  Driver driver;
  CopyJob job(driver, kBytes);
  const avocet_wait outcome = job.run();
  writeText(tracing + "events/avocet/enable", "0");
  const std::string trace = readText(tracing + "trace");
  const size_t queued = trace.find("avocet_job_queue: accel=0"), run = trace.find("avocet_job_run: accel=0");
  const size_t ended =
      trace.find(fmt::format("job=1 fault=0 cycles={} start={}", outcome.counters.cycles, outcome.start_cycle));
  ASSERT_NE(ended, std::string::npos) << trace;
  EXPECT_LT(queued, run) << trace;
  EXPECT_LT(run, ended) << trace;
}

} // namespace
} // namespace avocet::kmod
