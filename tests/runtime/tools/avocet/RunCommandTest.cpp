//===- RunCommandTest.cpp - avocet run, inspect and replay on artefacts --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

class RunCommandTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    writeCopyModel();
  }
};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST_F(RunCommandTest, CopiesInputToOutput) {
  std::string input;
  for (uint32_t i = 0; i < kBytes; ++i)
    input.push_back(static_cast<char>(i * 3));
  write("in.bin", input);
  ToolResult result = run({"run", "model", "--input", "in.bin", "--output-dir", "results"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(read("results/out0.bin"), input);
  EXPECT_TRUE(contains(result.output, "copy")) << result.output;
  EXPECT_TRUE(contains(result.output, "cycles")) << result.output;
}

TEST_F(RunCommandTest, JsonHasDocumentedKeys) {
  ToolResult result = run({"run", "model", "--report", "json"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  nlohmann::json json = nlohmann::json::parse(result.output);
  for (auto key : {"model", "target", "cycles", "roofline_cycles", "device_cycles", "compute_cycles",
                   "least_dram_bytes", "predicted_cycles", "macs", "executed_macs", "sram_peak_bytes", "dram_bytes",
                   "dram_bytes_by_kind", "host_compile_ms", "host_run_ms", "layers"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["model"], "copy");
  EXPECT_EQ(json["target"], "e256");
  EXPECT_GT(json["cycles"], 0);
  EXPECT_EQ(json["dram_bytes"], 2 * kBytes);
  EXPECT_EQ(json["least_dram_bytes"], 2 * kBytes);
  const nlohmann::json parts = {
      {"weights", 0}, {"refetched_weights", 0}, {"spills", 0}, {"inputs", kBytes}, {"outputs", kBytes}};
  EXPECT_EQ(json["dram_bytes_by_kind"], parts);
  EXPECT_EQ(json["sram_peak_bytes"], kBytes);
  ASSERT_EQ(json["layers"].size(), 1u);
  for (auto key : {"name", "operation", "engine", "cycles", "roofline_cycles", "device_cycles", "compute_cycles",
                   "least_dram_bytes", "macs", "executed_macs", "utilization", "stall_cycles", "sram_peak_bytes",
                   "sram_bytes", "dram_bytes", "bound_by"})
    EXPECT_TRUE(json["layers"][0].contains(key)) << key;
}

TEST_F(RunCommandTest, AttentionIsShownAsOneLayer) {
  const std::string model = AVOCET_SOURCE_DIR "/tests/differential/cases/encoder-f32.tflite";
  const ToolResult result = run({"run", model, "--mode", "timing", "--report", "json"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const nlohmann::json json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["groups"].size(), 1U);
  const nlohmann::json &group = json["groups"][0];
  uint64_t cycles = 0, products = 0;
  for (const nlohmann::json &number : group["layers"]) {
    const nlohmann::json &layer = json["layers"][number.get<size_t>()];
    EXPECT_EQ(layer["group"], group["name"]);
    cycles += layer["cycles"].get<uint64_t>();
    products += layer["operation"] == "BATCH_MATMUL" ? 1 : 0;
  }
  EXPECT_EQ(group["cycles"], cycles);
  EXPECT_EQ(products, 2U);
  const ToolResult table = run({"run", model, "--mode", "timing"});
  EXPECT_THAT(table.output, testing::ContainsRegex("  +t[0-9]+ +ATTENTION"));
}

TEST_F(RunCommandTest, RandomInputsDependOnSeed) {
  auto outputOf = [&](const std::string &seed) {
    ToolResult result = run({"run", "model", "--seed", seed, "--output-dir", "r", "--report", "none"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_EQ(result.output, "");
    return read("r/out0.bin");
  };
  std::string first = outputOf("5");
  EXPECT_EQ(outputOf("5"), first);
  EXPECT_NE(outputOf("6"), first);
}

TEST_F(RunCommandTest, AcceptsRepeatsAndModes) {
  for (std::vector<std::string> extra : {std::vector<std::string>{"--repeat", "3"},
                                         {"--mode", "functional"},
                                         {"--mode", "timing"},
                                         {"--backend", "null"},
                                         {"--target", "e256"}}) {
    std::vector<std::string> arguments = {"run", "model"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_EQ(run(arguments).exitCode, 0) << extra[0] << " " << extra[1];
  }
}

TEST_F(RunCommandTest, WritesATraceOfTheDevice) {
  ASSERT_EQ(run({"run", "model", "--trace", "trace.json"}).exitCode, 0);
  nlohmann::json trace = nlohmann::json::parse(read("trace.json"));
  size_t deviceSpans = 0;
  for (const auto &event : trace["traceEvents"])
    deviceSpans += event["ph"] == "X" && event["pid"] == 2 ? 1 : 0;
  EXPECT_GE(deviceSpans, 2u);
}

TEST_F(RunCommandTest, RecordsAndReplays) {
  ASSERT_EQ(run({"run", "model", "--backend", "recorder:run.avor"}).exitCode, 0);
  ToolResult replay = run({"replay", "run.avor"});
  EXPECT_EQ(replay.exitCode, 0) << replay.errors;
  EXPECT_TRUE(contains(replay.output, "1 jobs on e256")) << replay.output;
  EXPECT_TRUE(contains(replay.output, "0 differences")) << replay.output;
  std::string recording = read("run.avor");
  write("cut.avor", recording.substr(0, recording.size() - 1));
  EXPECT_EQ(run({"replay", "cut.avor"}).exitCode, 1);
}

TEST_F(RunCommandTest, InspectShowsAllTables) {
  ToolResult result = run({"inspect", "model"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  for (auto part :
       {"model      copy", "input 0", "output 0", "i8 1x64", "memory plan", "stream dma 0: 3 commands", "end"})
    EXPECT_TRUE(contains(result.output, part)) << part << "\n" << result.output;
}

TEST_F(RunCommandTest, WrongInputSizeNamesFileExpectedAndFound) {
  write("short.bin", "abc");
  ToolResult result = run({"run", "model", "--input", "short.bin", "--output-dir", "results"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "short.bin: has 3 bytes")) << result.errors;
  EXPECT_TRUE(contains(result.errors, "needs 64")) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"model", "model/data.avod", "model/model.avom", "short.bin"}));
}

TEST_F(RunCommandTest, WrongNumberOfInputsIsRefused) {
  write("in.bin", std::string(kBytes, 'x'));
  ToolResult result = run({"run", "model", "--input", "in.bin", "--input", "in.bin"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "2 input files were given, but the model has 1")) << result.errors;
}

TEST_F(RunCommandTest, OtherTargetsAreRefused) {
  ToolResult result = run({"run", "model", "--target", "m512"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "m512")) << result.errors;
}

TEST_F(RunCommandTest, DamagedArtefactsAreRefused) {
  std::string whole = read("model/model.avom");
  for (size_t eighth = 0; eighth < 8; ++eighth) {
    std::string damaged = whole;
    damaged[whole.size() * eighth / 8] ^= 0x10;
    write("model/model.avom", damaged);
    for (auto command : {"run", "inspect"}) {
      ToolResult result = run({command, "model"});
      EXPECT_EQ(result.exitCode, 1) << command << " with a flip in eighth " << eighth;
      EXPECT_TRUE(contains(result.errors, "model.avom")) << result.errors;
      EXPECT_EQ(result.output, "");
    }
  }
}

TEST_F(RunCommandTest, TruncatedArtefactsAreRefused) {
  std::string whole = read("model/model.avom");
  for (size_t size : {size_t(0), size_t(3), whole.size() / 2, whole.size() - 16}) {
    write("model/model.avom", whole.substr(0, size));
    for (auto command : {"run", "inspect"}) {
      ToolResult result = run({command, "model"});
      EXPECT_EQ(result.exitCode, 1) << command << " with " << size << " bytes";
      EXPECT_TRUE(contains(result.errors, "model.avom")) << result.errors;
      EXPECT_EQ(result.output, "");
    }
  }
  write("model/model.avom", whole);
  write("model/data.avod", "surplus");
  EXPECT_EQ(run({"run", "model"}).exitCode, 1);
}

TEST_F(RunCommandTest, UnwritableOutputPathsAreReported) {
  write("file", "x");
  ToolResult result = run({"run", "model", "--output-dir", "file"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "file")) << result.errors;
  EXPECT_EQ(run({"run", "model", "--trace", "no/such/trace.json"}).exitCode, 1);
}

} // namespace
} // namespace avocet::tool::test
