//===- DebugSettingsTest.cpp ----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug settings (knobs AVOCET_NN_..., AVOCET_VLOG, AVOCET_TRACE) are read once in a process: each case runs
// nnapiDebugProbe.
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ScratchDirectory.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace avocet::nnapi {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The lines that the probe prints on both streams.
std::vector<std::string> probe(const std::string &environment) {
  const std::string command =
      "env AVOCET_LOG=warning AVOCET_TARGET=e256 " + environment + " " + AVOCET_DEBUG_PROBE + " 2>&1";
  std::vector<std::string> lines;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 1024> line{};
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr) {
    lines.emplace_back(line.data());
    lines.back().pop_back();
  }
  EXPECT_EQ(pclose(pipe), 0);
  return lines;
}

auto onlyCpu() {
  return ElementsAre("device nnapi-reference", StartsWith("automatic nnapi-reference="), "cpu another");
}

TEST(DebugSettingsTest, DefaultsUseTheDeviceAndThreads) {
  EXPECT_THAT(probe(""), ElementsAre("device avocet-e256", "device nnapi-reference",
                                     StartsWith("automatic avocet-e256="), "cpu another", "npu another"));
}

TEST(DebugSettingsTest, CpuOnlyHidesOtherDevices) { EXPECT_THAT(probe("AVOCET_NN_CPUONLY=1"), onlyCpu()); }

TEST(DebugSettingsTest, PartitionZeroMovesAutomaticCompilationsToCpu) {
  EXPECT_THAT(probe("AVOCET_NN_PARTITION=0"),
              ElementsAre("device avocet-e256", "device nnapi-reference", StartsWith("automatic nnapi-reference="),
                          "cpu another", "npu another"));
}

TEST(DebugSettingsTest, EnabledDevicesMatchWholeNames) {
  EXPECT_THAT(probe("AVOCET_NN_ENABLED_DEVICES=avocet"), onlyCpu());
  EXPECT_THAT(probe("AVOCET_NN_ENABLED_DEVICES='avocet-.*'"), Contains("device avocet-e256"));
}

TEST(DebugSettingsTest, WrongExpressionEnablesAllDevices) {
  EXPECT_THAT(probe("AVOCET_NN_ENABLED_DEVICES='('"),
              AllOf(Contains(HasSubstr("AVOCET_NN_ENABLED_DEVICES holds '('")), Contains("device avocet-e256")));
}

TEST(DebugSettingsTest, WrongWordIsReportedAndIgnored) {
  EXPECT_THAT(probe("AVOCET_NN_CPUONLY=yes"),
              AllOf(Contains(HasSubstr("AVOCET_NN_CPUONLY holds 'yes'")), Contains("device avocet-e256")));
}

TEST(DebugSettingsTest, AsynchronousExecutionsRunInCaller) {
  EXPECT_THAT(probe("AVOCET_NN_SYNCEXEC_CPU=1"), AllOf(Contains("cpu caller"), Contains("npu another")));
  EXPECT_THAT(probe("AVOCET_NN_SYNCEXEC_RUNTIME=1"), AllOf(Contains("cpu caller"), Contains("npu caller")));
}

TEST(DebugSettingsTest, VerboseTagsSelectMessages) {
  EXPECT_THAT(probe("AVOCET_VLOG=all"),
              AllOf(Contains(HasSubstr("finished a model of 1 operations")),
                    Contains(HasSubstr("compiled for avocet-e256")), Contains(HasSubstr("execution on avocet-e256")),
                    Contains(HasSubstr("execution on nnapi-reference")),
                    Contains(HasSubstr("bytes of shared memory"))));
  EXPECT_THAT(probe("AVOCET_VLOG=cpuexe"), AllOf(Contains(HasSubstr("execution on nnapi-reference")),
                                                 Not(Contains(HasSubstr("execution on avocet-e256")))));
}

TEST(DebugSettingsTest, TagModelWritesGraphOfModel) {
  EXPECT_THAT(probe("AVOCET_VLOG=model"),
              AllOf(Contains(HasSubstr("digraph \"model\" {")), Contains(HasSubstr("CONSTANT_COPY = [2]"))));
  EXPECT_THAT(probe("AVOCET_VLOG=execution"), Not(Contains(HasSubstr("digraph"))));
}

TEST(DebugSettingsTest, FolderReceivesGraphOfEachCompilation) {
  auto folder = ScratchDirectory::make();
  ASSERT_TRUE(folder.isOk()) << folder.error().message();
  probe("AVOCET_NNAPI_DUMPS=" + folder->path());
  for (const char *name : {"1", "2", "3"}) {
    std::stringstream text;
    text << std::ifstream(folder->path() + "/model-0000" + name + ".dot").rdbuf();
    EXPECT_THAT(text.str(), AllOf(StartsWith("// HAL versions that express the model:"), HasSubstr("\ndigraph \"")));
  }
}

/// What the probe writes to the file whose name this knob gives.
std::string fileOfProbe(const std::string &knob, const std::string &environment) {
  std::string path = (std::filesystem::temp_directory_path() / "nnapiProbeXXXXXX").string();
  const int file = mkstemp(path.data());
  EXPECT_GE(file, 0);
  close(file);
  probe(environment + " " + knob + "=" + path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

TEST(DebugSettingsTest, CountersHaveTimesOfBothDevices) {
  for (const char *thread : {"AVOCET_NN_SYNCEXEC_RUNTIME=1", "AVOCET_NN_SYNCEXEC_RUNTIME=0"}) {
    const auto json = nlohmann::json::parse(fileOfProbe("AVOCET_NNAPI_COUNTERS", thread));
    const nlohmann::json &times = json["executionNanoseconds"];
    for (const char *owner : {"library", "driver", "device", "cpu", "simulated"})
      EXPECT_GT(times[owner], 0) << owner << " with " << thread;
    EXPECT_EQ(times["ipc"], 0);
    EXPECT_GT(json["deviceJobs"], 0);
  }
}

TEST(DebugSettingsTest, TraceHasPhasesOfBothDevices) {
  const std::string trace = fileOfProbe("AVOCET_TRACE", "AVOCET_NN_SYNCEXEC_RUNTIME=1");
  for (const char *span : {"[NN_LR_PI]ANeuralNetworks_getDeviceCount", "[NN_LR_PP]ANeuralNetworksModel_finish",
                           "[NN_LR_PC]ANeuralNetworksCompilation_finish", "[NN_LR_PE]ANeuralNetworksEvent_wait",
                           "[NN_LR_PT]ANeuralNetworksModel_free", "[NN_LR_PIO]copy inputs", "[NN_LR_PIO]copy outputs",
                           "[NN_LC_PCO]compute", "[NN_LR_PCO]compute", "[NN_LD_PCO]run", "device (simulated time)",
                           "MAC array", "\"start_cycle\"", "\"layer\""})
    EXPECT_TRUE(trace.find(span) != std::string::npos) << span;
}

} // namespace
} // namespace avocet::nnapi
