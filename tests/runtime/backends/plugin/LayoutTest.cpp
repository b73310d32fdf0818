//===- LayoutTest.cpp - The layout of the plug-in table ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes that plug-ins of version 1.0 were built with. A line here never changes; a later minor version adds members
// at the end. The test runtime.capi.abi compares the members with runtime/backends/plugin/backend.abi.
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/BackendPlugin.h"

#include <cstddef>
#include <gtest/gtest.h>

namespace {

static_assert(sizeof(void *) == 8);
// Never change.
static_assert(sizeof(AvocetBackendMessage) == 512);
static_assert(sizeof(AvocetBackendStream) == 24 && offsetof(AvocetBackendStream, address) == 8);
static_assert(sizeof(AvocetBackendRegion) == 24 && sizeof(AvocetBackendJob) == 16);
static_assert(sizeof(AvocetBackendCounters) == 27 * 8 && sizeof(AvocetBackendLayer) == 31 * 8);
static_assert(sizeof(AvocetBackendTraffic) == 24 && sizeof(AvocetBackendSpan) == 48 &&
              sizeof(AvocetBackendSection) == 24);

struct Extent {
  const char *name;
  size_t endOfFirstVersion, size, expected;
};

#define EXTENT(Struct, lastMember, expected)                                                                           \
  Extent { #Struct, offsetof(Struct, lastMember) + sizeof(Struct::lastMember), sizeof(Struct), expected }

TEST(PluginLayoutTest, FirstVersionKeepsItsSizes) {
  for (const Extent &each :
       {EXTENT(AvocetBackendOutcome, counters, 304), EXTENT(AvocetBackendSubmission, ended, 160),
        EXTENT(AvocetBackendProfile, evacuatedBytes, 120), EXTENT(AvocetBackendOptions, profileUser, 64),
        EXTENT(AvocetBackendProperties, reserved, 32), EXTENT(AvocetBackendTable, finish, 192)}) {
    EXPECT_EQ(each.endOfFirstVersion, each.expected) << each.name;
    EXPECT_GE(each.size, each.expected) << each.name;
  }
  EXPECT_EQ(AVOCET_BACKEND_ABI >> 16, 1u);
}

} // namespace
