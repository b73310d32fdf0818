//===- BenchmarkTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "avocet/base/File.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

const std::string kModels = AVOCET_SOURCE_DIR "/tests/models/digits/";
const std::string kDigits = kModels + "digits_int8.tflite";
const Arguments kImages = {"--images", kModels + "test-images.idx3-ubyte", "--labels",
                           kModels + "test-labels.idx1-ubyte"};

class BenchmarkTest : public ToolTest {
protected:
  ToolResult benchmark(Arguments arguments, const Arguments &more = {}) {
    arguments.insert(arguments.begin(), "benchmark");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  /// Of one inference of the digits network, with the outputs of `avocet run`, in the folder "cases".
  void writeCase() {
    std::filesystem::create_directory(path("cases"));
    write("cases/a.in0.bin", std::string(784, '\x10'));
    ASSERT_EQ(run({"run", kDigits, "--input", "cases/a.in0.bin", "--output-dir", "results"}).exitCode, 0);
    write("cases/a.out0.bin", read("results/out0.bin"));
  }

  Json json() { return Json::parse(read("out.json")); }
};

TEST_F(BenchmarkTest, LabeledDigitsHaveTheAccuracyOfClassify) {
  const ToolResult result = benchmark({kDigits, "--limit", "300", "--json", "out.json"}, kImages);
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const ToolResult classified =
      run({"classify", kDigits, "--limit", "300", "--show", "0", kImages[0], kImages[1], kImages[2], kImages[3]});
  const Json network = json()["networks"][0];
  ASSERT_EQ(network["devices"].size(), 2u);
  for (const Json &device : network["devices"]) {
    EXPECT_EQ(device["labels"]["count"], 300);
    const auto right = std::lround(device["labels"]["top1"].get<double>() * 300);
    EXPECT_THAT(classified.output, HasSubstr("(" + std::to_string(right) + " of 300 images)"));
    EXPECT_GE(device["labels"]["top5"], device["labels"]["top1"]);
    EXPECT_EQ(device["host_ms"]["count"], 300);
  }
}

TEST_F(BenchmarkTest, DeviceHasTheBitsOfTheCpu) {
  ASSERT_EQ(benchmark({kDigits, "--random", "5", "--runs", "7", "--json", "out.json"}).exitCode, 0);
  const Json cpu = json()["networks"][0]["devices"][0], device = json()["networks"][0]["devices"][1];
  EXPECT_EQ(cpu["device"], "nnapi-reference");
  EXPECT_EQ(device["device"], "avocet-e256");
  ASSERT_EQ(device["accuracy"].size(), 1u);
  EXPECT_EQ(device["accuracy"][0]["against"], "cpu");
  EXPECT_EQ(device["accuracy"][0]["equal_cases"], 5);
  EXPECT_EQ(device["host_ms"]["count"], 7);
  EXPECT_EQ(device["device_ms"]["count"], 7);
  EXPECT_FALSE(cpu.contains("device_ms"));
  EXPECT_EQ(cpu["host_over_cpu"]["most"], 1);
  EXPECT_TRUE(device.contains("from_cache_ms"));
  // The device's time is that of the simulated cycles, at the clock of e256.
  EXPECT_NEAR(device["device_ms"]["p50"].get<double>(), device["simulated"]["cycles"].get<double>() / 500e3, 1e-3);
}

TEST_F(BenchmarkTest, GoldensOfTheFolderAreCompared) {
  writeCase();
  const ToolResult result =
      benchmark({kDigits, "--data", "cases", "--runs", "2", "--require", "golden=100", "--json", "out.json"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const Json devices = json()["networks"][0]["devices"];
  ASSERT_EQ(devices.size(), 2u);
  for (const Json &device : devices) {
    EXPECT_EQ(device["accuracy"][0]["against"], "golden");
    EXPECT_EQ(device["accuracy"][0]["equal_cases"], 1);
  }
}

TEST_F(BenchmarkTest, WrongGoldenFailsTheRequirement) {
  writeCase();
  std::string golden = read("cases/a.out0.bin");
  golden[3] = static_cast<char>(golden[3] ^ 0x40);
  write("cases/a.out0.bin", golden);
  const ToolResult result =
      benchmark({kDigits, "--data", "cases", "--runs", "2", "--require", "golden=100", "--json", "out.json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("digits_int8 on avocet-e256: golden is 90, but must be at least 100"));
  EXPECT_THAT(result.output, HasSubstr("90.00%")) << "the table comes before the verdict";
  EXPECT_EQ(json()["broken_requirements"].size(), 2u) << "the CPU's outputs are as wrong";
}

TEST_F(BenchmarkTest, LabelsOfTheFolderAreCounted) {
  writeCase();
  write("cases/labels.txt", "a 3\n");
  ASSERT_EQ(benchmark({kDigits, "--data", "cases", "--runs", "1", "--json", "out.json"}).exitCode, 0);
  EXPECT_EQ(json()["networks"][0]["devices"][1]["labels"]["count"], 1);
  write("cases/labels.txt", "a 10\n");
  EXPECT_THAT(benchmark({kDigits, "--data", "cases"}).errors, HasSubstr("labels.txt: line 1 is 'a 10'"));
}

TEST_F(BenchmarkTest, BadNetworksAreNamedAndOthersGoOn) {
  std::filesystem::create_directory(path("nets"));
  std::filesystem::copy(kDigits, path("nets/good.tflite"));
  write("nets/broken.tflite", "no network");
  const ToolResult result = benchmark({"nets", "absent", "--runs", "2", "--json", "out.json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("nets/broken.tflite: is no .tflite file"));
  EXPECT_THAT(result.errors, HasSubstr("absent: there is no such file or folder"));
  EXPECT_THAT(result.errors, HasSubstr("2 networks have no result"));
  EXPECT_THAT(result.output, HasSubstr("good"));
  EXPECT_EQ(json()["networks"].size(), 1u);
  EXPECT_EQ(json()["problems"].size(), 2u);
}

TEST_F(BenchmarkTest, CasesOfAnotherSizeAreRefused) {
  std::filesystem::create_directory(path("cases"));
  write("cases/a.in0.bin", "short");
  EXPECT_THAT(benchmark({kDigits, "--data", "cases"}).errors, HasSubstr("cases/a.in0.bin: has 5 bytes, but input 0"));
  write("cases/a.in0.bin", std::string(784, 'x'));
  write("cases/a.out0.bin", "short");
  EXPECT_THAT(benchmark({kDigits, "--data", "cases"}).errors, HasSubstr("cases/a.out0.bin: has 5 bytes, but output 0"));
  std::filesystem::create_directory(path("empty"));
  EXPECT_THAT(benchmark({kDigits, "--data", "empty"}).errors, HasSubstr("empty: has no cases"));
}

TEST_F(BenchmarkTest, FurtherTargetsAreFurtherDevices) {
  ASSERT_EQ(benchmark({kDigits, "-t", "m512", "--also", "p4096", "--runs", "2", "--json", "out.json"}).exitCode, 0);
  const Json devices = json()["networks"][0]["devices"];
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[1]["device"], "avocet-m512");
  EXPECT_EQ(devices[2]["device"], "avocet-p4096");
  EXPECT_GT(devices[1]["simulated"]["cycles"], devices[2]["simulated"]["cycles"]);
  EXPECT_EQ(json()["means"].size(), 2u);
}

/// Each kind of calls is measured in the same rounds, and all give the same outputs and times on the device.
TEST_F(BenchmarkTest, KindsOfCallsAreCompared) {
  const std::vector<std::string> kinds = {"single", "reusable", "burst", "fenced"};
  for (const std::string through : {"process", "service"}) {
    Arguments arguments = {kDigits, "--random", "2", "--runs", "3", "--json", "out.json", "--through", through};
    for (const std::string &kind : kinds)
      arguments.insert(arguments.end(), {"--call", kind});
    const ToolResult result = benchmark(arguments);
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("avocet-e256 (burst) over 1 network"));
    const Json devices = json()["networks"][0]["devices"];
    ASSERT_EQ(devices.size(), 5u) << through;
    EXPECT_EQ(devices[0]["call"], "single");
    for (size_t i = 0; i < kinds.size(); ++i) {
      const Json &device = devices[i + 1];
      EXPECT_EQ(device["call"], kinds[i]);
      EXPECT_EQ(device["host_ms"]["count"], 3);
      EXPECT_EQ(device["device_ms"]["p50"], devices[1]["device_ms"]["p50"]) << kinds[i];
      EXPECT_EQ(device["accuracy"][0]["equal_cases"], 2) << kinds[i];
    }
  }
}

TEST_F(BenchmarkTest, SecondsLimitTheRunsButNotTheCases) {
  ASSERT_EQ(benchmark({kDigits, "--random", "9", "--seconds", "0.001", "--json", "out.json"}).exitCode, 0);
  EXPECT_GE(json()["networks"][0]["devices"][1]["host_ms"]["count"], 9);
  EXPECT_EQ(json()["networks"][0]["devices"][1]["accuracy"][0]["cases"], 9);
}

TEST_F(BenchmarkTest, RefusesOptionsThatContradict) {
  EXPECT_EQ(benchmark({kDigits, "--runs", "2", "--seconds", "3"}).exitCode, 2);
  EXPECT_EQ(benchmark({kDigits, "--images", "i.idx"}).exitCode, 2);
  EXPECT_EQ(benchmark({kDigits, "--data", "cases"}, kImages).exitCode, 2);
  EXPECT_THAT(benchmark({kDigits, "--require", "speed=1"}).errors, HasSubstr("'speed' is no figure of a benchmark"));
}

} // namespace
} // namespace avocet::tool::test
