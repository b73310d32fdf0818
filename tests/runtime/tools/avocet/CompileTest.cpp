//===- CompileTest.cpp - avocet with the compiler: the project's own network --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"
#include "ToolRunner.h"

#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/";

/// Levels that simulate. Level 3 takes two minutes with a sanitizer.
const std::vector<std::string> kLevels =
    kHasSanitizer ? std::vector<std::string>{"2"} : std::vector<std::string>{"2", "3"};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class CompileTest : public ToolTest {};

TEST_F(CompileTest, ArtefactsGiveSameOutputsAsModel) {
  std::string model = kDigits + "digits_int8.tflite";
  ToolResult compiled = run({"compile", model, "-o", "out", "--target", "m512"});
  ASSERT_EQ(compiled.exitCode, 0) << compiled.errors;
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"out", "out/data.avod", "out/model.avom"}));
  ASSERT_EQ(run({"run", "out", "--mode", "functional", "--output-dir", "a"}).exitCode, 0);
  ASSERT_EQ(run({"run", model, "-t", "m512", "--mode", "functional", "--output-dir", "b"}).exitCode, 0);
  EXPECT_EQ(read("a/out0.bin"), read("b/out0.bin"));
}

TEST_F(CompileTest, CompilingTwiceGivesSameBytes) {
  std::string model = kDigits + "digits_int8.tflite";
  ASSERT_EQ(run({"compile", model, "-o", "a"}).exitCode, 0);
  ASSERT_EQ(run({"compile", model, "-o", "b"}).exitCode, 0);
  EXPECT_EQ(read("a/model.avom"), read("b/model.avom"));
  EXPECT_EQ(read("a/data.avod"), read("b/data.avod"));
}

TEST_F(CompileTest, DamagedConstantsAreRefusedUnlessTrusted) {
  ASSERT_EQ(run({"compile", kDigits + "digits_int8.tflite", "-o", "out"}).exitCode, 0);
  std::string data = read("out/data.avod");
  data[data.size() / 2] ^= 1;
  write("out/data.avod", data);
  for (const char *backend : {"sim", "null"}) {
    const ToolResult refused = run({"run", "out", "--backend", backend});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_TRUE(contains(refused.errors, "out/data.avod: is damaged")) << refused.errors;
  }
  EXPECT_EQ(run({"run", "out", "--trust-data"}).exitCode, 0);
  data.back() ^= 1; // of the identity, which is compared always
  write("out/data.avod", data);
  EXPECT_EQ(run({"run", "out", "--trust-data"}).exitCode, 1);
}

TEST_F(CompileTest, StopsAfterAndResumesFromPhases) {
  std::string model = kDigits + "digits_int8.tflite";
  ASSERT_EQ(run({"compile", model, "-o", "whole"}).exitCode, 0);
  ToolResult stopped = run({"compile", model, "--stop-after", "nn", "-o", "nn.mlir"});
  ASSERT_EQ(stopped.exitCode, 0) << stopped.errors;
  ToolResult resumed = run({"compile", "nn.mlir", "--start-at", "nn", "-o", "resumed"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.errors;
  EXPECT_EQ(read("resumed/model.avom"), read("whole/model.avom"));
  EXPECT_EQ(run({"compile", model, "--stop-after", "lunch"}).exitCode, 1);
}

TEST_F(CompileTest, ScheduleIsResumedForItsOwnTarget) {
  const std::string model = kDigits + "digits_int8.tflite";
  ASSERT_EQ(run({"compile", model, "-t", "e256s", "-o", "whole"}).exitCode, 0);
  ASSERT_EQ(run({"compile", model, "-t", "e256s", "--stop-after", "schedule", "-o", "s.mlir"}).exitCode, 0);
  const ToolResult resumed = run({"compile", "s.mlir", "--start-at", "schedule", "-o", "resumed"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.errors;
  EXPECT_EQ(read("resumed/model.avom"), read("whole/model.avom"));
  EXPECT_EQ(run({"run", "s.mlir", "--mode", "timing"}).exitCode, 0);
  const ToolResult other = run({"compile", "s.mlir", "-t", "m512", "--start-at", "schedule", "-o", "other"});
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_TRUE(contains(other.errors, "is IR for target 'e256s', but the request names 'm512'")) << other.errors;
}

/// A schedule with one block that the array cannot hold; the error has no IR, and no files for a report appear.
TEST_F(CompileTest, EditedBlockIsRefusedWithRuleAndLimit) {
  ASSERT_EQ(run({"compile", kDigits + "digits_int8.tflite", "--stop-after", "schedule", "-o", "s.mlir"}).exitCode, 0);
  std::string schedule = read("s.mlir");
  const size_t block = schedule.find("block = {");
  ASSERT_NE(block, std::string::npos);
  schedule.replace(block, schedule.find('}', block) - block, "block = {height = 4, width = 112, channels = 96");
  write("s.mlir", schedule);
  const ToolResult refused = run({"compile", "s.mlir", "--start-at", "schedule", "-o", "out"});
  EXPECT_EQ(refused.exitCode, 1);
  EXPECT_TRUE(contains(refused.errors, "block.width is 112, must be 1 to 64")) << refused.errors;
  EXPECT_LT(refused.errors.size(), 1000u);
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"s.mlir"}));
}

uint64_t cyclesOf(const ToolResult &run) { return nlohmann::json::parse(run.output)["cycles"].get<uint64_t>(); }

TEST_F(CompileTest, OptimizationLevelsAreDeterministicAndNeverSlower) {
  const std::string model = kDigits + "digits_int8.tflite";
  uint64_t fewest = cyclesOf(run({"run", model, "-t", "m512", "--mode", "timing", "--report", "json"}));
  for (const std::string &level : kLevels) {
    for (std::string folder : {"a", "b"})
      ASSERT_EQ(run({"compile", model, "-t", "m512", "--optimize", level, "-o", folder + level}).exitCode, 0);
    EXPECT_EQ(read("a" + level + "/model.avom"), read("b" + level + "/model.avom"));
    const uint64_t cycles = cyclesOf(run({"run", "a" + level, "--mode", "timing", "--report", "json"}));
    EXPECT_LE(cycles, fewest) << "level " << level;
    fewest = cycles;
  }
  ASSERT_EQ(run({"run", "a" + kLevels.back(), "--mode", "functional", "--output-dir", "fast"}).exitCode, 0);
  ASSERT_EQ(run({"run", model, "-t", "m512", "--mode", "functional", "--output-dir", "plain"}).exitCode, 0);
  EXPECT_EQ(read("fast/out0.bin"), read("plain/out0.bin"));
}

TEST_F(CompileTest, LogOfAlternativesHasPredictedAndSimulatedCycles) {
  const std::string model = kDigits + "digits_int8.tflite";
  ASSERT_EQ(run({"compile", model, "--optimize", "2", "--optimize-log", "log.json", "-o", "out"}).exitCode, 0);
  const std::string text = read("log.json");
  const nlohmann::json log = nlohmann::json::parse(text);
  ASSERT_GE(log.size(), 2u);
  EXPECT_EQ(size_t(std::count(text.begin(), text.end(), '\n')), log.size() + 2) << "one line each, and the brackets";
  EXPECT_TRUE(log[0]["kept"].get<bool>());
  uint64_t kept = 0;
  for (const nlohmann::json &alternative : log) {
    EXPECT_FALSE(alternative["alternative"].get<std::string>().empty());
    EXPECT_GT(alternative["predicted_cycles"].get<uint64_t>(), 0u);
    if (alternative["kept"].get<bool>())
      kept = alternative["simulated_cycles"].get<uint64_t>();
  }
  EXPECT_EQ(kept, cyclesOf(run({"run", "out", "--mode", "timing", "--report", "json"})));
  ASSERT_EQ(run({"compile", model, "--optimize-log", "log1.json", "-o", "out"}).exitCode, 0);
  EXPECT_TRUE(nlohmann::json::parse(read("log1.json"))[0]["simulated_cycles"].is_null());
}

TEST_F(CompileTest, OptimizationTakesLevelOrSeconds) {
  const std::string model = kDigits + "digits_int8.tflite";
  EXPECT_EQ(run({"compile", model, "--optimize", "0.05s", "-o", "out"}).exitCode, 0);
  EXPECT_EQ(run({"compile", model, "--optimize", "0", "-o", "out"}).exitCode, 0);
  for (std::string wrong : {"4", "-1", "30", "s", "0s", "-2s", "1e9s", "nans", "fast", "1x", "00"}) {
    const ToolResult result = run({"compile", model, "--optimize=" + wrong, "-o", "none"});
    EXPECT_EQ(result.exitCode, 1) << wrong;
    EXPECT_TRUE(contains(result.errors, "--optimize " + wrong + ": must be a level from 0 to 3")) << result.errors;
  }
  EXPECT_TRUE(contains(run({"compile", "--help"}).output, "Levels of --optimize"));
}

TEST_F(CompileTest, OptimizationNeedsPhaseSchedule) {
  const std::string model = kDigits + "digits_int8.tflite";
  for (std::string phase : {"place", "schedule", "cmd"})
    ASSERT_EQ(run({"compile", model, "--stop-after", phase, "-o", phase + ".mlir"}).exitCode, 0);
  EXPECT_EQ(run({"compile", "place.mlir", "--optimize", "2", "-o", "out"}).exitCode, 0);
  for (std::string phase : {"schedule", "cmd"}) {
    EXPECT_EQ(run({"compile", phase + ".mlir", "-o", "out"}).exitCode, 0);
    const ToolResult late = run({"compile", phase + ".mlir", "--optimize", "2", "-o", "out"});
    EXPECT_EQ(late.exitCode, 1);
    EXPECT_TRUE(contains(late.errors, "has passed phase " + phase)) << late.errors;
    const ToolResult log = run({"compile", phase + ".mlir", "--optimize-log", "log.json", "-o", "out"});
    EXPECT_EQ(log.exitCode, 1);
    EXPECT_TRUE(contains(log.errors, "no schedule was made")) << log.errors;
  }
}

TEST_F(CompileTest, RunCompilesWithGivenEffort) {
  const std::string model = kDigits + "digits_int8.tflite";
  const auto cyclesAt = [&](const std::string &level) {
    return cyclesOf(run({"run", model, "-t", "m512", "--mode", "timing", "--report", "json", "--optimize", level}));
  };
  const std::string most = kLevels.back();
  ASSERT_EQ(run({"compile", model, "-t", "m512", "--optimize", most, "-o", "fast"}).exitCode, 0);
  const uint64_t fewest = cyclesOf(run({"run", "fast", "--mode", "timing", "--report", "json"}));
  EXPECT_EQ(cyclesAt(most), fewest);
  EXPECT_GT(cyclesAt("1"), fewest);
  const ToolResult artefacts = run({"run", "fast", "--optimize", most});
  EXPECT_TRUE(contains(artefacts.errors, "have a schedule already")) << artefacts.errors;
}

TEST_F(CompileTest, WorkAndBoundDoNotDependOnMemory) {
  const auto reportOf = [&](const std::string &target) {
    return nlohmann::json::parse(
        run({"run", kDigits + "digits_int8.tflite", "-t", target, "--mode", "timing", "--report", "json"}).output);
  };
  const nlohmann::json ample = reportOf("e256"), small = reportOf("e256s");
  for (auto key : {"macs", "roofline_cycles", "device_cycles", "compute_cycles", "least_dram_bytes"})
    EXPECT_EQ(ample[key], small[key]) << key;
  for (auto target : {"m512", "p4096"}) {
    const nlohmann::json other = reportOf(target);
    EXPECT_EQ(other["macs"], ample["macs"]);
    // Wider granules have fewer entries in the index of compressed weights.
    const auto bytes = ample["least_dram_bytes"].get<double>();
    EXPECT_NEAR(other["least_dram_bytes"].get<double>(), bytes, bytes / 100);
  }
  uint64_t bytes = 0;
  for (const auto &part : ample["dram_bytes_by_kind"])
    bytes += part.get<uint64_t>();
  EXPECT_EQ(ample["dram_bytes"], bytes);
  EXPECT_EQ(ample["bound_by"], "dram"); // 48,996 bytes, one in a cycle; the array is busy in fewer
}

TEST_F(CompileTest, DamagedModelLeavesNoFiles) {
  write("bad.tflite", "this is no model");
  write("cut.tflite", std::string("\x1c\0\0\0TFL3", 8));
  for (auto name : {"bad.tflite", "cut.tflite"}) {
    ToolResult result = run({"compile", name, "-o", "out"});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_TRUE(contains(result.errors, name)) << result.errors;
    ToolResult json = run({"compile", name, "-o", "out", "--diagnostics", "json"});
    EXPECT_EQ(json.exitCode, 1);
    EXPECT_TRUE(nlohmann::json::parse(json.output).contains("diagnostics"));
  }
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"bad.tflite", "cut.tflite"}));
}

TEST_F(CompileTest, ClassifiesDigits) {
  std::vector<std::string> arguments = {"classify",       kDigits + "digits_int8.tflite",
                                        "--images",       kDigits + "test-images.idx3-ubyte",
                                        "--labels",       kDigits + "test-labels.idx1-ubyte",
                                        "--limit",        "50",
                                        "--show",         "1",
                                        "--min-accuracy", "90"};
  ToolResult result = run(arguments);
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "of 50 images")) << result.output;
  EXPECT_TRUE(contains(result.output, "image 0: ")) << result.output;
}

TEST_F(CompileTest, ClassifyChecksItsData) {
  std::string labels = std::string("\0\0\x08\1\0\0\0\1\x0a", 9),
              image = std::string("\0\0\x08\2\0\0\0\1\0\0\0\1\7", 13);
  write("label.idx", labels);
  write("image.idx", image);
  std::string model = kDigits + "digits_int8.tflite";
  ToolResult small = run({"classify", model, "--images", "image.idx", "--labels", "label.idx"});
  EXPECT_EQ(small.exitCode, 1);
  EXPECT_TRUE(contains(small.errors, "needs 784")) << small.errors;
  write("image784.idx", std::string("\0\0\x08\2\0\0\0\1\0\0\3\x10", 12) + std::string(784, 'x'));
  ToolResult label = run({"classify", model, "--images", "image784.idx", "--labels", "label.idx"});
  EXPECT_EQ(label.exitCode, 1);
  EXPECT_TRUE(contains(label.errors, "label 10 of item 0")) << label.errors;
}

} // namespace
} // namespace avocet::tool::test
