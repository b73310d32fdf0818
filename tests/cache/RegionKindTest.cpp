//===- RegionKindTest.cpp - Names of region kinds ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelDescription.h"

#include <gtest/gtest.h>

using avocet::cache::RegionKind;

TEST(RegionKindTest, NameBelongsToTheValue) {
  EXPECT_EQ(toString(RegionKind::Input), "input");
  EXPECT_EQ(toString(RegionKind::Output), "output");
  EXPECT_EQ(toString(RegionKind::Constants), "constants");
  EXPECT_EQ(toString(RegionKind::Scratch), "scratch");
  EXPECT_EQ(toString(static_cast<RegionKind>(4)), "?");
}
