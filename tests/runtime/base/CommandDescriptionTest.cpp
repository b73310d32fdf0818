//===- CommandDescriptionTest.cpp - Descriptions of command lines and suggestions -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CommandDescription.h"

#include <gmock/gmock.h>

namespace avocet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CommandDescriptionTest, HasOptionsArgumentsAndChoices) {
  CommandLine app("A program", "program");
  app.setFooter("the end");
  CommandLine command = app.addSubcommand("draw", "Draws");
  std::string model, level;
  bool isVerbose = false;
  int form = 0;
  command.addText("model", model, "Model file").required();
  command.addText("--level", level).valueName("LEVEL|SECONDS");
  command.addFlag("-v,--verbose", isVerbose, "More");
  addChoice(command, "-f,--form", form, "Form", {{"table", 1}, {"json", 2}});
  addChoice(command, "kind", form, "Kind", {{"big", 1}, {"small", 2}});
  const CommandDescription described = describe(app);
  EXPECT_EQ(described.name, "program");
  EXPECT_EQ(described.footer, "the end");
  ASSERT_EQ(described.subcommands.size(), 1u);
  const CommandDescription &draw = described.subcommands[0];
  EXPECT_EQ(draw.description, "Draws");
  EXPECT_EQ(draw.footer, "");
  ASSERT_EQ(draw.arguments.size(), 2u);
  EXPECT_TRUE(draw.arguments[0].isRequired);
  EXPECT_THAT(draw.arguments[0].names, ElementsAre("model"));
  EXPECT_THAT(draw.arguments[1].choices, ElementsAre("big", "small"));
  ASSERT_EQ(draw.options.size(), 4u); // the first is --help
  EXPECT_THAT(draw.options[1].choices, IsEmpty());
  EXPECT_EQ(draw.options[1].value, "LEVEL|SECONDS");
  EXPECT_THAT(draw.options[2].names, ElementsAre("-v", "--verbose"));
  EXPECT_EQ(draw.options[2].value, "");
  EXPECT_THAT(draw.options[3].choices, ElementsAre("table", "json"));
}

TEST(CommandDescriptionTest, NearestNameIsOneOfFewChanges) {
  const std::vector<std::string> names = {"compile", "run", "inspect", "targets"};
  EXPECT_EQ(nearestName("inspct", names), "inspect");
  EXPECT_EQ(nearestName("target", names), "targets");
  EXPECT_EQ(nearestName("complie", names), "compile");
  EXPECT_EQ(nearestName("rum", names), "run");
  EXPECT_EQ(nearestName("rnu", names), "run");
  EXPECT_EQ(nearestName("fly", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName(std::string(100'000, 'x'), names), "");
}

} // namespace
} // namespace avocet
