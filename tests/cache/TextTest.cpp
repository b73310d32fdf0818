//===- TextTest.cpp - Names that are safe to show ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include <gtest/gtest.h>

using namespace avocet::cache;

namespace {

bool isClean(std::string_view text) { return cleanPrefix(text) == text.size(); }

TEST(Text, AcceptsPrintableUtf8) {
  EXPECT_TRUE(isClean(""));
  EXPECT_TRUE(isClean("conv2d/BiasAdd;1 ~"));
  EXPECT_TRUE(isClean("\xC2\xB5s \xE2\x82\xAC \xF0\x9F\xA6\x86"));
}

TEST(Text, RefusesControlCharacters) {
  EXPECT_FALSE(isClean("a\nb"));
  EXPECT_FALSE(isClean("a\tb"));
  EXPECT_FALSE(isClean("\x1B[31m"));
  EXPECT_FALSE(isClean("\x7F"));
  EXPECT_FALSE(isClean("\xC2\x9B")); // CSI as one character
  EXPECT_FALSE(isClean(std::string_view("a\0b", 3)));
}

TEST(Text, RefusesWhatIsNotUtf8) {
  EXPECT_FALSE(isClean("\x80"));
  EXPECT_FALSE(isClean("\xC0\xAF"));         // overlong
  EXPECT_FALSE(isClean("\xE0\x80\xAF"));     // overlong
  EXPECT_FALSE(isClean("\xED\xA0\x80"));     // surrogate
  EXPECT_FALSE(isClean("\xF4\x90\x80\x80")); // above U+10FFFF
  EXPECT_FALSE(isClean("\xE2\x82"));         // cut off
  EXPECT_FALSE(isClean("\xE2\x28\xA1"));
}

TEST(Text, ReplacesEachInvalidByte) {
  EXPECT_EQ(cleaned("a\x1B\xE2\x82z"), "a???z");
  EXPECT_EQ(cleaned("\xC2\xB5"), "\xC2\xB5");
  EXPECT_TRUE(isClean(cleaned("\xFF\xFE\xFD")));
}

} // namespace
