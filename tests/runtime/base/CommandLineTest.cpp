//===- CommandLineTest.cpp - Tests of options, knobs and exit codes -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CommandLine.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace avocet {
namespace {

using testing::HasSubstr;

TEST(ParseNumberTest, AcceptsOnlyWholeNumbersInRange) {
  EXPECT_EQ(*parseUnsigned("0", 0, 10), 0U);
  EXPECT_EQ(*parseUnsigned("010", 0, 10), 10U);
  EXPECT_EQ(*parseUnsigned("0x1F", 0, 100), 31U);
  EXPECT_EQ(*parseUnsigned("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
  for (auto text : {"", "-1", "-0", "+1", " 1", "1 ", "11", "1.0", "1e1", "0x", "junk", "nan", "18446744073709551616",
                    "99999999999999999999999"})
    EXPECT_FALSE(parseUnsigned(text, 0, 10)) << text;
  EXPECT_EQ(*parseSigned("-9223372036854775808", INT64_MIN, INT64_MAX), INT64_MIN);
  for (auto text : {"-2", "3", "--1", "-", "9223372036854775808"})
    EXPECT_FALSE(parseSigned(text, -1, 2)) << text;
}

TEST(ParseNumberTest, RefusesNanAndInfinity) {
  EXPECT_EQ(*parseReal("-2.5e3", -1e4, 1e4), -2500);
  for (auto text : {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e400", "1e5", "", "1,5", "0x10", "5%"})
    EXPECT_FALSE(parseReal(text, -1e4, 1e4)) << text;
}

TEST(ParseNumberTest, RefusesByteCountsThatOverflow) {
  EXPECT_EQ(*parseBytes("64K", 0, UINT64_MAX), 65536U);
  EXPECT_EQ(*parseBytes("2MiB", 0, UINT64_MAX), 2U << 20);
  EXPECT_EQ(*parseBytes("1gb", 0, UINT64_MAX), 1U << 30);
  EXPECT_EQ(*parseBytes("7", 0, UINT64_MAX), 7U);
  for (auto text : {"18014398509481984K", "16777216T", "-1", "-1K", "K", "1X", "1KK", "1.5K", "1 K", ""})
    EXPECT_FALSE(parseBytes(text, 0, UINT64_MAX)) << text;
  EXPECT_THAT(parseBytes("8T", 0, 1000).status().message(), HasSubstr("'8T' must be a number of bytes"));
}

enum class Form { Table, Json };

/// A program with one option of each kind.
struct Program {
  int run(std::vector<const char *> arguments) {
    CommandLine app("A program", "program");
    addNumber(app, "--count", count, "", 1, 10);
    addNumber(app, "--seed", seed, "");
    addNumber(app, "--scale", scale, "", -1e6, 1e6);
    addNumber(app, "--list", list, "", 0, 9).delimiter(',');
    addBytes(app, "--size", size, "");
    addChoice(app, "--form", form, "", {{"table", Form::Table}, {"json", Form::Json}});
    arguments.insert(arguments.begin(), "program");
    return runProgram(app, static_cast<int>(arguments.size()), arguments.data(), [this] {
      hasRun = true;
      return status;
    });
  }
  uint32_t count = 1;
  uint64_t seed = 0, size = 0;
  double scale = 0;
  std::vector<int> list;
  Form form = Form::Table;
  Status status;
  bool hasRun = false;
};

TEST(RunProgramTest, PassesCheckedValues) {
  Program program;
  EXPECT_EQ(program.run({"--count", "010", "--seed", "18446744073709551615", "--scale", "-0.5", "--list", "1,2",
                         "--size", "1K", "--form", "json"}),
            kExitOk);
  EXPECT_EQ(program.count, 10U);
  EXPECT_EQ(program.seed, UINT64_MAX);
  EXPECT_EQ(program.scale, -0.5);
  EXPECT_EQ(program.list, (std::vector{1, 2}));
  EXPECT_EQ(program.size, 1024U);
  EXPECT_EQ(program.form, Form::Json);
}

TEST(RunProgramTest, WrongValuesExitWithCode2) {
  const std::vector<std::vector<const char *>> lines = {{"--count", "0"},
                                                        {"--count", "11"},
                                                        {"--seed", "-1"},
                                                        {"--seed", "18446744073709551616"},
                                                        {"--scale", "nan"},
                                                        {"--scale", "inf"},
                                                        {"--scale", "1e7"},
                                                        {"--list", "1,10"},
                                                        {"--size", "-1"},
                                                        {"--size", "16777216T"},
                                                        {"--size", "9223372036854775808"},
                                                        {"--form", "1"},
                                                        {"--form", "poem"},
                                                        {"--unknown"},
                                                        {"--count"}};
  for (const auto &line : lines) {
    Program program;
    testing::internal::CaptureStderr();
    EXPECT_EQ(program.run(line), kExitUsage) << line[0] << " " << line.back();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(line[0]));
    EXPECT_FALSE(program.hasRun);
  }
}

TEST(RunProgramTest, UnknownChoiceErrorListsAcceptedNames) {
  Program program;
  testing::internal::CaptureStderr();
  EXPECT_EQ(program.run({"--form", "poem"}), kExitUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--form: 'poem' must be one of: table, json"));
}

TEST(RunProgramTest, FailedWorkExitsWithCode1) {
  Program program;
  program.status = notFound("nothing there");
  testing::internal::CaptureStderr();
  EXPECT_EQ(program.run({}), kExitFailed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "program: error: nothing there\n");
}

enum class Way { None, Any, Queues };

/// A program with a subcommand that has the rarer kinds of options.
struct Tool {
  int run(std::vector<const char *> arguments) {
    CommandLine app("A tool", "tool");
    app.requireSubcommand();
    CommandLine command = app.addSubcommand("send", "Sends");
    command.addTexts("--file", files).oneEach();
    command.addText("to", receiver).required();
    CommandOption socket = command.addText("--socket", place);
    command.addFlag("--quiet", isQuiet).needs(socket);
    CommandOption local = command.addText("--local", place).excludes(command.option("--socket"));
    addNumber(command, "--deadline", deadline, "").needsOneOf(local, socket);
    addChoiceFlag(command, "--burst", way, "", {{"true", Way::Any}, {"queues", Way::Queues}});
    addChoice(command, "--form", forms, "", {{"table", Form::Table}, {"json", Form::Json}});
    addUnsigned(command, "--polling", [this](uint64_t value) { polling.push_back(value); }, "", 0, 9);
    command.onSelected([this] { isSelected = true; });
    arguments.insert(arguments.begin(), "tool");
    testing::internal::CaptureStderr();
    const int code =
        runProgram(app, static_cast<int>(arguments.size()), arguments.data(), [] { return static_cast<int>(kExitOk); });
    errors = testing::internal::GetCapturedStderr();
    return code;
  }
  std::vector<std::string> files;
  std::string receiver, place, errors;
  std::vector<Form> forms;
  std::vector<uint64_t> polling;
  Way way = Way::None;
  uint32_t deadline = 0;
  bool isQuiet = false, isSelected = false;
};

TEST(SubcommandTest, StoresTextsChoicesAndActions) {
  Tool tool;
  EXPECT_EQ(tool.run({"send", "--file", "a", "--file", "b", "--form", "json", "table", "--polling", "7", "--socket",
                      "s", "--quiet", "--", "you"}),
            kExitOk)
      << tool.errors;
  EXPECT_TRUE(tool.isSelected);
  EXPECT_EQ(tool.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tool.receiver, "you");
  EXPECT_EQ(tool.forms, (std::vector{Form::Json, Form::Table}));
  EXPECT_EQ(tool.polling, std::vector<uint64_t>{7});
  EXPECT_TRUE(tool.isQuiet);
}

TEST(SubcommandTest, FormerNamesOfOptionsAreAccepted) {
  for (const std::vector<const char *> &line :
       {std::vector{"--optimise", "2"}, std::vector{"--optimise=2"}, std::vector{"--optimize", "2"}}) {
    CommandLine program("A program.", "program");
    std::string effort;
    program.addText("--optimize", effort, "Effort");
    std::vector<const char *> arguments = {"program"};
    arguments.insert(arguments.end(), line.begin(), line.end());
    EXPECT_EQ(runProgram(program, static_cast<int>(arguments.size()), arguments.data(), [] { return kExitOk; }),
              kExitOk);
    EXPECT_EQ(effort, "2") << line[0];
  }
}

TEST(SubcommandTest, OneEachTakesNoSecondValue) {
  Tool tool;
  EXPECT_EQ(tool.run({"send", "--file", "a", "you"}), kExitOk) << tool.errors;
  EXPECT_TRUE(tool.polling.empty());
  EXPECT_EQ(tool.run({"send", "--file", "a", "b", "you"}), kExitUsage);
}

TEST(SubcommandTest, ChoiceFlagTakesOptionalValue) {
  for (auto [text, way] : {std::pair{"--burst", Way::Any}, {"--burst=queues", Way::Queues}}) {
    Tool tool;
    EXPECT_EQ(tool.run({"send", "you", text}), kExitOk) << tool.errors;
    EXPECT_EQ(tool.way, way) << text;
  }
  Tool tool;
  EXPECT_EQ(tool.run({"send", "you", "--burst=junk"}), kExitUsage);
  EXPECT_THAT(tool.errors, HasSubstr("'junk' must be one of: true, queues"));
}

TEST(SubcommandTest, RefusesMissingAndConflictingOptions) {
  for (const std::vector<const char *> &line : std::vector<std::vector<const char *>>{
           {}, {"send"}, {"send", "you", "--quiet"}, {"send", "you", "--socket", "s", "--local", "l"}}) {
    Tool tool;
    EXPECT_EQ(tool.run(line), kExitUsage) << testing::PrintToString(line);
    EXPECT_NE(tool.errors, "");
  }
}

TEST(SubcommandTest, OneOfTwoOptionsIsEnough) {
  for (const char *place : {"--socket", "--local"}) {
    Tool tool;
    EXPECT_EQ(tool.run({"send", "you", "--deadline", "5", place, "s"}), kExitOk) << tool.errors;
    EXPECT_EQ(tool.deadline, 5U);
  }
  Tool tool;
  EXPECT_EQ(tool.run({"send", "you", "--deadline", "5"}), kExitUsage);
  EXPECT_THAT(tool.errors, HasSubstr("--deadline requires --local or --socket"));
}

class KnobTest : public testing::Test {
protected:
  void set(const Knob &knob, const char *value) { ::setenv(std::string(knob.name).c_str(), value, 1); }
  void TearDown() override {
    for (const Knob &knob : allKnobs())
      ::unsetenv(std::string(knob.name).c_str());
  }
};

TEST_F(KnobTest, ProgramsRejectUnknownWords) {
  for (const Knob *knob : {&knobs::kLog, &knobs::kProgress, &knobs::kColor, &knobs::kVerbose}) {
    set(*knob, "junk");
    EXPECT_THAT(checkKnob(*knob).message(), HasSubstr(std::string(knob->name) + " holds 'junk'; it accepts"));
    Program program;
    testing::internal::CaptureStderr();
    EXPECT_EQ(program.run({}), kExitUsage) << knob->name;
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(std::string(knob->name)));
    TearDown();
  }
}

TEST_F(KnobTest, HelpWorksWithBadKnobs) {
  set(knobs::kLog, "junk");
  Program program;
  testing::internal::CaptureStdout();
  EXPECT_EQ(program.run({"--help"}), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("--count"));
}

TEST_F(KnobTest, LibrariesReplaceBadKnobsByDefault) {
  set(knobs::kLog, "junk");
  EXPECT_EQ(knobText(knobs::kLog), knobs::kLog.defaultValue);
  set(knobs::kLog, "debug");
  EXPECT_EQ(knobText(knobs::kLog), "debug");
}

TEST_F(KnobTest, WordListsAcceptAllSeparators) {
  set(knobs::kVerbose, " driver,model:memory all");
  EXPECT_TRUE(checkKnob(knobs::kVerbose).isOk());
  set(knobs::kVerbose, "driver;model");
  EXPECT_FALSE(checkKnob(knobs::kVerbose).isOk());
}

} // namespace
} // namespace avocet
