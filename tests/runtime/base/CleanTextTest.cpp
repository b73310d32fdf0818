//===- CleanTextTest.cpp - Tests of foreign text for terminals ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CleanText.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace avocet {
namespace {

const std::string kNames[] = {"conv1", "Größe ✓ 🦆 日本", "a\\nb", ""};

TEST(CleanTextTest, OrdinaryTextStays) {
  for (const std::string &name : kNames) {
    EXPECT_EQ(cleanLine(name), name);
    EXPECT_EQ(cleanMessage(name), name);
    EXPECT_EQ(cleanJson(name), name);
  }
}

TEST(CleanTextTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(cleanLine("a\x1b[31mb\r\n\tc\x7f"), "a\\x1b[31mb\\r\\n\\tc\\x7f");
  EXPECT_EQ(cleanLine(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(cleanLine("\u009b2J"), "\\u009b2J");
}

TEST(CleanTextTest, DirectionsAndSeparatorsAreEscaped) {
  EXPECT_EQ(cleanLine("a\u202eb\u2028c\u2029d\u2066e\u200ff\u061c"),
            "a\\u202eb\\u2028c\\u2029d\\u2066e\\u200ff\\u061c");
  EXPECT_EQ(cleanLine("\u2027\u202f\u2065\u206a\u200d"), "\u2027\u202f\u2065\u206a\u200d");
}

TEST(CleanTextTest, BytesOutsideUtf8AreEscaped) {
  EXPECT_EQ(cleanLine("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(cleanLine("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(cleanLine("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(cleanLine("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(cleanLine("ok\xe2\x80"), "ok\\xe2\\x80") << "cut";
}

TEST(CleanTextTest, FurtherLinesOfMessageAreIndented) {
  EXPECT_EQ(cleanMessage("no file x\navocet: error: forged"), "no file x\n  avocet: error: forged");
  EXPECT_EQ(cleanMessage("tried:\n  /lib/a\n  /lib/b"), "tried:\n  /lib/a\n  /lib/b");
  EXPECT_EQ(cleanMessage("a\x1b\nb\r"), "a\\x1b\n  b\\r");
}

TEST(CleanTextTest, JsonKeepsExactNames) {
  const std::string name = "a\x1b\u202e\u2028\x7f\u0085ü\nb";
  const std::string text = cleanJson(nlohmann::json{{"name", name}}.dump(2));
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
  EXPECT_EQ(text.find('\x7f'), std::string::npos);
  EXPECT_NE(text.find("ü"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text)["name"].get<std::string>(), name);
}

} // namespace
} // namespace avocet
