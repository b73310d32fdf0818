//===- CmdNamesTest.cpp - Names shared with other formats -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TableGen cannot read C++ tables, so the dialect repeats some names. They must be those of the other formats.
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelDescription.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/firmware_iface/Names.h"

#include <gtest/gtest.h>

namespace avocet::compiler::cmd {
namespace {

TEST(CmdNamesTest, StreamKindsAreNamedLikeEngines) {
  for (uint32_t kind = 0; kind < firmware::kNumEngineKinds; ++kind)
    EXPECT_EQ(stringifyStreamKind(static_cast<StreamKind>(kind)).str(),
              valueName(static_cast<firmware::EngineKind>(kind)));
  EXPECT_FALSE(symbolizeStreamKind(firmware::kNumEngineKinds).has_value());
}

TEST(CmdNamesTest, MeaningsAreNamedLikeRegionKinds) {
  for (uint32_t kind = 0; kind < cache::kNumRegionKinds; ++kind)
    EXPECT_EQ(stringifyMeaning(static_cast<Meaning>(kind)).str(), toString(static_cast<cache::RegionKind>(kind)));
  EXPECT_FALSE(symbolizeMeaning(cache::kNumRegionKinds).has_value());
}

} // namespace
} // namespace avocet::compiler::cmd
