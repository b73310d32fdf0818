//===- DescriptionJsonTest.cpp - Options of a program as JSON -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/ProgramCommands.h"

#include <gtest/gtest.h>

namespace avocet::tool {
namespace {

TEST(DescriptionJsonTest, KeepsAllFields) {
  const OptionDescription option{{"-k", "--kind"}, "a|b", {"a", "b"}, "What \"kind\"\nof run", "Options", false};
  const OptionDescription argument{{"path"}, "TEXT", {}, "Where", "Positionals", true};
  const CommandDescription described{"random", "Runs", "Examples:\n  it's 'one'", {option}, {argument}, {}};
  const Result<CommandDescription> read = parseDescription(describeJson(described));
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ(read->name, described.name);
  EXPECT_EQ(read->description, described.description);
  EXPECT_EQ(read->footer, described.footer);
  ASSERT_EQ(read->options.size(), 1u);
  EXPECT_EQ(read->options[0].names, option.names);
  EXPECT_EQ(read->options[0].value, option.value);
  EXPECT_EQ(read->options[0].choices, option.choices);
  EXPECT_EQ(read->options[0].help, option.help);
  EXPECT_EQ(read->options[0].group, option.group);
  EXPECT_FALSE(read->options[0].isRequired);
  ASSERT_EQ(read->arguments.size(), 1u);
  EXPECT_EQ(read->arguments[0].names, argument.names);
  EXPECT_TRUE(read->arguments[0].isRequired);
}

TEST(DescriptionJsonTest, RefusesOtherTexts) {
  for (const char *text : {"", "nonsense", "[]", "{}", R"({"name": 1})", R"({"name": "a", "description": "b"})"})
    EXPECT_EQ(parseDescription(text).status().code(), StatusCode::DataLoss) << text;
}

} // namespace
} // namespace avocet::tool
