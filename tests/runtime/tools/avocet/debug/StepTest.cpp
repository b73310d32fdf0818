//===- StepTest.cpp - Tests of avocet replay --step ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

const std::string kModel = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

class StepTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ASSERT_EQ(run({"run", kModel, "--backend", "recorder:run.avor", "--report", "none"}).exitCode, 0);
  }

  /// The output of a replay that reads these lines.
  std::string step(const std::string &lines) {
    write("lines", lines);
    const std::string command = "cd " + directory_ + " && " AVOCET_TOOL " replay run.avor --step <lines >out 2>errors";
    // NOLINTNEXTLINE(bugprone-command-processor): redirects the standard input
    EXPECT_EQ(std::system(command.c_str()), 0) << read("errors");
    return read("out");
  }
};

TEST_F(StepTest, StopsAtNamedCommand) {
  const std::string output = step("break mac:3\nrun\nregs\nquit\n");
  EXPECT_THAT(output, HasSubstr(": mac:3 conv, layer 0\n"));
  EXPECT_THAT(output, HasSubstr("mac last command 3\n"));
  EXPECT_THAT(output, HasSubstr("semaphore "));
  EXPECT_THAT(output, HasSubstr("1 jobs on e256"));
  EXPECT_THAT(output, HasSubstr(" 0 differences\n"));
}

TEST_F(StepTest, NextRunsSomeCommands) {
  const std::string output = step("next\nnext 2\n");
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 3) << output;
}

/// The bytes that a command has changed are those of a dump after it.
TEST_F(StepTest, WatchAndDumpShowSameBytes) {
  const std::string output = step("watch 0x0 4\nrun\ndump 0 4\nquit\n");
  const std::string changed = "changed 0x0: 00 00 00 00 -> ";
  ASSERT_THAT(output, HasSubstr(changed));
  const std::string bytes = output.substr(output.find(changed) + changed.size(), 11);
  EXPECT_THAT(output, HasSubstr("0x000000  " + bytes + "\n"));
}

TEST_F(StepTest, WrongLinesAreSkipped) {
  const std::string output =
      step("dump 0 4\nnext\njump\nbreak mac\nbreak mac:x\nwatch 0\ndump 0xffffffff 1\ndump 0 0\nnext 0\nregs\n");
  EXPECT_THAT(output, HasSubstr("last command"));
  EXPECT_THAT(read("errors"), HasSubstr("dump: the device has not run yet"));
  EXPECT_THAT(read("errors"), HasSubstr("'jump' is refused; accepted are next [N], run"));
  EXPECT_THAT(read("errors"), HasSubstr("break mac:x: must be an engine, ':' and a number"));
}

TEST_F(StepTest, OtherBackEndsAreRefused) {
  const ToolResult result = run({"replay", "run.avor", "--step", "--backend", "null"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("--step: back end null has no commands to stop at"));
}

} // namespace
} // namespace avocet::tool::test
