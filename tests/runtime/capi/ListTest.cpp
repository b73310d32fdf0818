//===- ListTest.cpp - Targets and devices of the C library ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

namespace avocet::capi::test {
namespace {

using ::testing::HasSubstr;

class ListTest : public CapiTest {
protected:
  std::string described() {
    AvocetReport *report = nullptr;
    EXPECT_DONE(avocetTargetDescribe(options_, &report));
    return textOf(report);
  }
};

TEST_F(ListTest, DescribesAllFiguresOfATarget) {
  set("target", "m512");
  EXPECT_THAT(described(), HasSubstr("\"sram.bytes\": \"393216\""));
  EXPECT_THAT(described(), HasSubstr("\"dram.bandwidth\": \"15/4\""));
}

TEST_F(ListTest, DescribesChangedTargets) {
  set("target-change", "sram.bytes=1M");
  EXPECT_THAT(described(), HasSubstr("\"sram.bytes\": \"1048576\""));
  EXPECT_THAT(described(), HasSubstr("\"sram_bytes\": 1048576"));
  EXPECT_THAT(described(), HasSubstr("\"name\": \"e256-changed\""));
}

TEST_F(ListTest, ListsDevicesAndSilentServices) {
  set("socket", folder() + "/none");
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetDeviceList(options_, &report));
  const std::string text = textOf(report);
  EXPECT_THAT(text, HasSubstr("\"name\": \"sim\""));
  EXPECT_THAT(text, HasSubstr("\"name\": \"cpu\""));
  EXPECT_THAT(text, HasSubstr("no service listens at " + folder() + "/none"));
}

TEST_F(ListTest, WantsAPlaceForItsResult) {
  EXPECT_EQ(Outcome(avocetTargetList(nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetTargetDescribe(options_, nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetDeviceList(options_, nullptr)).code, AVOCET_INVALID_ARGUMENT);
}

} // namespace
} // namespace avocet::capi::test
