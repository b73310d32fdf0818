//===- ExploreTest.cpp - avocet explore with the project's own network ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;
using Arguments = std::vector<std::string>;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

class ExploreTest : public ToolTest {
protected:
  /// Three sizes of SRAM, and bandwidths.
  Arguments arguments(const std::string &output, const std::string &bandwidths = "0.5,2") const {
    return {"explore", "--models", kDigits, "--set", "sram.bytes=32K,64K,256K", "--set", "dram.bandwidth=" + bandwidths,
            "-o",      output};
  }

  static size_t countLines(const std::string &text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

  /// Starts the command and kills it after some time.
  void killAfter(const Arguments &words, std::chrono::milliseconds time) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::vector<char *> pointers = {const_cast<char *>(AVOCET_TOOL)};
      for (const std::string &word : words)
        pointers.push_back(const_cast<char *>(word.c_str()));
      pointers.push_back(nullptr);
      if (::chdir(directory_.c_str()) != 0)
        ::_exit(99);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
      ::execv(AVOCET_TOOL, pointers.data());
      ::_exit(99);
    }
    std::this_thread::sleep_for(time);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
};

TEST_F(ExploreTest, WritesAllReports) {
  const ToolResult result = run(arguments("out"));
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("digits_int8: 6 of 6 targets"));
  EXPECT_THAT(result.output, HasSubstr("6 points: 6 with figures, 0 refused"));
  const nlohmann::json json = nlohmann::json::parse(read("out/explore.json"));
  EXPECT_EQ(json["schemaVersion"], 2);
  ASSERT_EQ(json["points"].size(), 6u);
  for (const nlohmann::json &point : json["points"]) {
    EXPECT_GT(point["cycles"], 0);
    EXPECT_GT(point["energy_picojoules"], 0);
    EXPECT_EQ(point["state"], "ok");
    EXPECT_LE(point["sram_peak_bytes"], std::stoul(point["values"]["sram.bytes"].get<std::string>()));
  }
  EXPECT_EQ(json["points"][1]["values"], (nlohmann::json{{"sram.bytes", "32768"}, {"dram.bandwidth", "2"}}));
  EXPECT_EQ(countLines(read("out/explore.csv")), 7u);
  EXPECT_THAT(read("out/explore.html"), HasSubstr("</html>"));
  EXPECT_THAT(read("out/changes.csv"), HasSubstr("digits_int8,sram.bytes,"));
}

TEST_F(ExploreTest, FiguresAreThoseOfRun) {
  ASSERT_EQ(run(arguments("out")).exitCode, 0);
  const nlohmann::json point = nlohmann::json::parse(read("out/explore.json"))["points"][2];
  const std::string target = "out/targets/" + point["target"].get<std::string>() + ".toml";
  const ToolResult single = run({"run", kDigits, "-t", target, "--report", "json", "--mode", "timing"});
  ASSERT_EQ(single.exitCode, 0) << single.errors;
  const nlohmann::json report = nlohmann::json::parse(single.output);
  for (auto key : {"cycles", "roofline_cycles", "device_cycles", "dram_bytes", "sram_peak_bytes"})
    EXPECT_EQ(point[key], report[key]) << key;
}

TEST_F(ExploreTest, SecondRunComputesOnlyNewPoints) {
  const ToolResult first = run(arguments("out"));
  const std::string results = read("out/results/local.jsonl");
  EXPECT_EQ(countLines(results), 6u);
  const ToolResult second = run(arguments("out"));
  EXPECT_EQ(second.output, first.output);
  EXPECT_EQ(read("out/results/local.jsonl"), results);
  ASSERT_EQ(run(arguments("out", "0.5,1,2")).exitCode, 0);
  const std::string extended = read("out/results/local.jsonl");
  EXPECT_EQ(countLines(extended), 9u);
  EXPECT_EQ(extended.substr(0, results.size()), results);
  const std::string csv = read("out/explore.csv");
  ASSERT_EQ(run(arguments("fresh", "0.5,1,2")).exitCode, 0);
  EXPECT_EQ(read("fresh/explore.csv"), csv);
}

TEST_F(ExploreTest, ResultsDoNotDependOnThreadsOrShares) {
  Arguments one = arguments("one"), four = arguments("four"), shared = arguments("shared");
  one.insert(one.end(), {"--jobs", "1", "--rows", "all"});
  four.insert(four.end(), {"--jobs", "4", "--rows", "all"});
  const ToolResult expected = run(one);
  EXPECT_EQ(run(four).output, expected.output);
  for (auto share : {"2/3", "0/3", "1/3"}) {
    Arguments part = shared;
    part.insert(part.end(), {"--share", share});
    const ToolResult result = run(part);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_EQ(result.output, "");
  }
  shared.insert(shared.end(), {"--rows", "all"});
  EXPECT_EQ(run(shared).output, expected.output);
  EXPECT_EQ(read("shared/results/local.jsonl"), ""); // the shares had computed all
  for (auto file : {"explore.csv", "explore.json", "explore.html", "changes.csv"}) {
    EXPECT_EQ(read(std::string("four/") + file), read(std::string("one/") + file)) << file;
    EXPECT_EQ(read(std::string("shared/") + file), read(std::string("one/") + file)) << file;
  }
}

TEST_F(ExploreTest, KilledRunsGoOnWithoutDamage) {
  const std::string bandwidths = "0.25,0.5,1,2,3,4,5,6,7,8";
  const size_t numKills = casesOf(8, 2);
  for (size_t i = 1; i <= numKills; ++i)
    killAfter(arguments("killed", bandwidths), std::chrono::milliseconds(25 * i * casesOf(1, 20)));
  ASSERT_EQ(run(arguments("killed", bandwidths)).exitCode, 0);
  ASSERT_EQ(run(arguments("whole", bandwidths)).exitCode, 0);
  for (auto file : {"explore.csv", "explore.json", "explore.html", "changes.csv"})
    EXPECT_EQ(read(std::string("killed/") + file), read(std::string("whole/") + file)) << file;
}

TEST_F(ExploreTest, RefusedPointsAreRowsWithReasons) {
  std::filesystem::create_directories(path("nets"));
  write("nets/broken.tflite", "no network");
  std::filesystem::copy_file(kDigits, path("nets/digits.tflite"));
  const ToolResult result = run({"explore", "--models", "nets", "--set", "sram.bytes=64K,65568,256K", "--set",
                                 "sram.burstBytes=32,64", "-o", "out"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("broken: 0 of 6 targets"));
  EXPECT_THAT(result.output, HasSubstr("must be a multiple of sram.burstBytes (64)"));
  EXPECT_THAT(result.output, HasSubstr("12 points: 5 with figures, 7 refused, 0 failed, 0 not computed"));
  const nlohmann::json results = nlohmann::json::parse(read("out/explore.json"));
  for (const nlohmann::json &point : results["points"])
    EXPECT_EQ(point["state"] == "ok", !point.contains("reason"));
}

TEST_F(ExploreTest, ChangedModelIsAnotherPoint) {
  std::filesystem::copy_file(kDigits, path("net.tflite"));
  const Arguments words = {"explore", "--models", "net.tflite", "-o", "out"};
  ASSERT_EQ(run(words).exitCode, 0);
  std::filesystem::copy_file(AVOCET_SOURCE_DIR "/tests/models/digits/digits_float32.tflite", path("net.tflite"),
                             std::filesystem::copy_options::overwrite_existing);
  const std::string before = read("out/explore.csv");
  ASSERT_EQ(run(words).exitCode, 0);
  EXPECT_NE(read("out/explore.csv"), before);
  EXPECT_EQ(countLines(read("out/results/local.jsonl")), 2u);
}

TEST_F(ExploreTest, WrongOptionsAreRefusedBeforeWork) {
  const std::vector<std::pair<Arguments, std::string>> rows = {
      {{"--models", "absent"}, "--models absent: there is no such file or folder"},
      {{"--models", "."}, "the folder has no .tflite file"},
      {{"--models", kDigits, "--set", "sram.size=1M"}, "'sram.size' is no figure of a target; section sram has"},
      {{"--models", kDigits, "--set", "mac.cores=0"}, "'0' must be a whole number from 1 to 64"},
      {{"--models", kDigits, "-t", "e257"}, "target 'e257' is unknown"},
      {{"--models", kDigits, "--optimize", "30s"}, "must be a level from 0 to 3"},
      {{"--models", kDigits, "--share", "3/3"}, "such as 0/8"},
      {{"--models", kDigits, "--share", "x"}, "such as 0/8"}};
  for (const auto &[words, message] : rows) {
    Arguments line = {"explore", "-o", "out"};
    line.insert(line.end(), words.begin(), words.end());
    const ToolResult result = run(line);
    EXPECT_NE(result.exitCode, 0) << message;
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(path("out/explore.csv"))) << message;
  }
  EXPECT_EQ(run({"explore", "--models", kDigits}).exitCode, 2);
  EXPECT_EQ(run({"explore", "--models", kDigits, "-o", "out", "--tasks", "2"}).exitCode, 2);
}

TEST_F(ExploreTest, SlurmThatIsNotInstalledIsNamed) {
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  Arguments words = arguments("out");
  words.push_back("--slurm");
  const ToolResult result = run(words);
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("sbatch is not installed here; install Slurm's commands (scripts/setup --slurm)"));
}

} // namespace
} // namespace avocet::tool::test
