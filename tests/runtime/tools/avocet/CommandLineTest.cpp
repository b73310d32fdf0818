//===- CommandLineTest.cpp - Tests of the avocet command line ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <cstdlib>

namespace avocet::tool::test {
namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class CommandLineTest : public ToolTest {};

TEST_F(CommandLineTest, HelpShowsSubcommandsAndExamples) {
  ToolResult help = run({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  for (auto part : {"compile", "run", "inspect", "graph", "classify", "replay", "targets", "knobs", "Examples:"})
    EXPECT_TRUE(contains(help.output, part)) << part;
  for (auto command : {"compile", "run", "inspect", "graph", "classify", "replay"}) {
    ToolResult result = run({command, "--help"});
    EXPECT_EQ(result.exitCode, 0) << command;
    EXPECT_TRUE(contains(result.output, "Examples:")) << command;
  }
}

TEST_F(CommandLineTest, WrongCommandLinesExitWithCode2) {
  EXPECT_EQ(run({}).exitCode, 2);
  EXPECT_EQ(run({"fly"}).exitCode, 2);
  EXPECT_EQ(run({"run"}).exitCode, 2);
  EXPECT_EQ(run({"run", "model", "--report", "poem"}).exitCode, 2);
  EXPECT_EQ(run({"run", "model", "--repeat", "0"}).exitCode, 2);
  EXPECT_EQ(run({"targets", "--unknown"}).exitCode, 2);
}

TEST_F(CommandLineTest, UnknownSubcommandListsChoices) {
  const std::string choices = "must be one of: compile, run, report, inspect, where, explain, compare, bisect, graph, "
                              "classify, benchmark, replay, reduce, targets, knobs, "
                              "conformance, ";
  ToolResult unknown = run({"foo"});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_EQ(unknown.output, "");
  EXPECT_TRUE(contains(unknown.errors, "avocet: error: 'foo' is no subcommand, " + choices)) << unknown.errors;
  ToolResult missing = run({});
  EXPECT_EQ(missing.exitCode, 2);
  EXPECT_TRUE(contains(missing.errors, "avocet: error: a subcommand is missing, " + choices)) << missing.errors;
}

TEST_F(CommandLineTest, ListsTargetsAndKnobs) {
  ToolResult targets = run({"targets"});
  EXPECT_EQ(targets.exitCode, 0);
  for (auto name : {"e256", "e256s", "m512", "p4096"})
    EXPECT_TRUE(contains(targets.output, name)) << name;
  ToolResult knobs = run({"knobs"});
  EXPECT_EQ(knobs.exitCode, 0);
  EXPECT_TRUE(contains(knobs.output, "AVOCET_LOG")) << knobs.output;
}

/// The messages of `avocet run` on the standard error stream at a level of AVOCET_LOG.
class LogLevelTest : public ToolTest {
protected:
  std::string messagesAt(const char *level) {
    writeCopyModel();
    ::setenv("AVOCET_LOG", level, 1);
    ToolResult result = run({"run", "model", "--report", "none"});
    ::unsetenv("AVOCET_LOG");
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.errors;
  }
};

TEST_F(LogLevelTest, WarningShowsNothingOfGoodRun) { EXPECT_EQ(messagesAt("warning"), ""); }

TEST_F(LogLevelTest, DebugShowsFilesAndDevice) {
  const std::string messages = messagesAt("debug");
  EXPECT_TRUE(contains(messages, "avocet debug: cache: read model: ")) << messages;
  EXPECT_TRUE(contains(messages, "avocet debug: runtime: opened back end sim for target e256\n")) << messages;
  EXPECT_FALSE(contains(messages, "trace: ")) << messages;
}

TEST_F(LogLevelTest, TraceShowsEachJob) {
  const std::string messages = messagesAt("trace");
  EXPECT_TRUE(contains(messages, " of context 1 submitted with priority 0\n")) << messages;
  EXPECT_TRUE(contains(messages, " of context 1 ended after ")) << messages;
}

TEST_F(CommandLineTest, DevicesCommandFailsWithoutService) {
  ToolResult result = run({"devices", "--socket", path("none.sock")});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.errors.find("none.sock"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("avocetd"), std::string::npos) << result.errors;
  EXPECT_EQ(result.output, "");
}

TEST_F(CommandLineTest, MissingModelErrorNamesFile) {
  ToolResult result = run({"run", "nowhere.tflite"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "nowhere.tflite")) << result.errors;
  EXPECT_EQ(run({"inspect", "nowhere"}).exitCode, 1);
  EXPECT_EQ(run({"replay", "nowhere.avor"}).exitCode, 1);
}

TEST_F(CommandLineTest, DirectoryWithoutArtefactsIsRefused) {
  ToolResult result = run({"run", "."});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "model.avom")) << result.errors;
  EXPECT_TRUE(contains(result.errors, "avocet compile")) << result.errors;
}

TEST_F(CommandLineTest, UnknownTargetOrBackendListsAcceptedNames) {
  writeCopyModel();
  ToolResult target = run({"run", "model", "--target", "warp9"});
  EXPECT_EQ(target.exitCode, 1);
  EXPECT_TRUE(contains(target.errors, "warp9")) << target.errors;
  EXPECT_TRUE(contains(target.errors, "m512")) << target.errors;
  ToolResult backend = run({"run", "model", "--backend", "warp9"});
  EXPECT_EQ(backend.exitCode, 1);
  EXPECT_TRUE(contains(backend.errors, "sim")) << backend.errors;
}

TEST_F(CommandLineTest, CompileRequiresOutputPath) {
  ToolResult result = run({"compile", "model.tflite"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.errors, "-o DIR")) << result.errors;
  EXPECT_TRUE(listFiles().empty());
}

} // namespace
} // namespace avocet::tool::test
