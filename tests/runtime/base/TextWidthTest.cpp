//===- TextWidthTest.cpp - Text in columns of a terminal ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Terminal.h"

#include <gmock/gmock.h>

namespace avocet {
namespace {

using ::testing::ElementsAre;

TEST(TextWidthTest, WrapsBetweenWordsOrWithinLongOnes) {
  EXPECT_THAT(wrapText("", 5), ElementsAre(""));
  EXPECT_THAT(wrapText("a bc  def", 4), ElementsAre("a bc", "def"));
  EXPECT_THAT(wrapText("ab cdefghij k", 4), ElementsAre("ab", "cdef", "ghij", "k"));
  EXPECT_THAT(wrapText("äöüß x", 2), ElementsAre("äö", "üß", "x"));
}

const std::string kHelp = "Examples:\n"
                          "  tool a          short\n"
                          "  tool b --long   a comment that is too long for one line\n"
                          "                  and goes on\n"
                          "Prose.";

TEST(TextWidthTest, HelpThatFitsStaysAsItIs) { EXPECT_EQ(fitHelp(kHelp, 80), kHelp); }

TEST(TextWidthTest, LongCommentsFollowTheirCommands) {
  EXPECT_EQ(fitHelp(kHelp, 40), "Examples:\n"
                                "  tool a          short\n"
                                "  tool b --long\n"
                                "      a comment that is too long for one\n"
                                "      line and goes on\n"
                                "Prose.");
}

TEST(TextWidthTest, LinesOfProseAreFilledAgain) {
  const std::string line(89, 'x');
  EXPECT_EQ(fitHelp(line + " y\nz\nnew", 91), line + " y\nz\nnew");
  EXPECT_EQ(fitHelp(line + " y\nz\nnew", 90), line + "\ny z\nnew");
  EXPECT_EQ(fitHelp("", 10), "");
  EXPECT_EQ(fitHelp("a\n\nb", 10), "a\n\nb");
}

} // namespace
} // namespace avocet
