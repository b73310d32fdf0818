//===- OwnTargetTest.cpp - Targets that are not shipped -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;

const std::string kModel = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

class OwnTargetTest : public ToolTest {
protected:
  /// e256 with another name and clock.
  void SetUp() override {
    ToolTest::SetUp();
    std::string text = run({"targets", "--print", "e256"}).output;
    replace(text, "name = \"e256\"", "name = \"own\"");
    replace(text, "clockHz = 500_000_000", "clockHz = 400_000_000");
    write("own.toml", text);
  }

  static void replace(std::string &text, const std::string &from, const std::string &to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
  }

  void compileFor(const std::string &target) {
    const ToolResult result = run({"compile", kModel, "-o", "out", "-t", target});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
  }
};

TEST_F(OwnTargetTest, PrintedTargetIsTheShippedFile) {
  const ToolResult result = run({"targets", "--print", "m512"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("name = \"m512\""));
  write("copy.toml", result.output);
  compileFor("copy.toml");
  EXPECT_EQ(run({"run", "out", "-t", "m512", "--report", "none"}).exitCode, 0);
  EXPECT_EQ(run({"targets", "--print", "warp9"}).exitCode, 1);
}

TEST_F(OwnTargetTest, ArtefactsRunAndAreShownWithoutTheOption) {
  compileFor("own.toml");
  const ToolResult result = run({"run", "out", "--report", "json"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\"clock_hz\": 400000000"));
  EXPECT_THAT(run({"inspect", "out", "--summary"}).output, HasSubstr("target     own"));
}

TEST_F(OwnTargetTest, MissingFileIsAskedForByOption) {
  compileFor("own.toml");
  EXPECT_EQ(read("out/target.toml"), read("own.toml"));
  std::filesystem::remove(path("out/target.toml"));
  const ToolResult result = run({"run", "out"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("compiled for the target 'own', which is not shipped"));
  EXPECT_THAT(result.errors, HasSubstr("--target FILE.toml"));
  EXPECT_EQ(run({"run", "out", "--target", "own.toml", "--report", "none"}).exitCode, 0);
}

TEST_F(OwnTargetTest, RecordingAsksForItsTarget) {
  ASSERT_EQ(run({"run", kModel, "-t", "own.toml", "--backend", "recorder:r.avor", "--report", "none"}).exitCode, 0);
  const ToolResult result = run({"replay", "r.avor"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("recorded on the target 'own', which is not shipped"));
  EXPECT_EQ(run({"replay", "r.avor", "--target", "own.toml"}).exitCode, 0);
}

TEST_F(OwnTargetTest, ShippedTargetLeavesNoFile) {
  compileFor("own.toml");
  compileFor("e256");
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"out", "out/data.avod", "out/model.avom", "own.toml"}));
  EXPECT_EQ(run({"run", "out", "--report", "none"}).exitCode, 0);
}

TEST_F(OwnTargetTest, FileWithOtherFiguresIsRefused) {
  compileFor("own.toml");
  write("out/target.toml", run({"targets", "--print", "m512"}).output);
  const ToolResult result = run({"run", "out"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("m512"));
}

} // namespace
} // namespace avocet::tool::test
