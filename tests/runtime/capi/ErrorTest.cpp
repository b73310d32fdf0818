//===- ErrorTest.cpp - Errors of the C library ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

namespace avocet::capi::test {
namespace {

TEST_F(CapiTest, ErrorsHaveCodeAndMessage) {
  AvocetError *error = avocetOptionsSet(options_, nullptr, "value");
  EXPECT_EQ(avocetErrorCode(error), AVOCET_INVALID_ARGUMENT);
  EXPECT_STREQ(avocetErrorMessage(error), "no name of an option was given");
  EXPECT_EQ(avocetErrorReasonCount(error), 0u);
  EXPECT_STREQ(avocetErrorJson(error), "");
  avocetErrorDestroy(error);
  EXPECT_STREQ(avocetErrorMessage(error), "") << "destroyed";
}

TEST_F(CapiTest, VersionsAreThoseOfTheHeader) {
  EXPECT_EQ(avocetApiVersion(), uint32_t{AVOCET_API_VERSION});
  EXPECT_THAT(avocetVersion(), ::testing::ContainsRegex("^[0-9]+\\.[0-9]+\\.[0-9]+ \\("));
}

} // namespace
} // namespace avocet::capi::test
