//===- TargetEditTest.cpp - Targets with changed figures -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/TargetEdit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace avocet;
using namespace avocet::firmware;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

std::shared_ptr<const Target> changed(std::string_view base, const std::vector<TargetChange> &changes) {
  Result<std::string> text = changedTargetText(*Target::load(base).value(), changes, "own", "a \"changed\" one\\");
  EXPECT_TRUE(text) << text.status().toString();
  Result<std::shared_ptr<const Target>> target = Target::parse(*text, "own");
  EXPECT_TRUE(target) << target.status().toString() << "\n" << *text;
  return target.value();
}

TEST(TargetEditTest, PrintedTargetHasSameFigures) {
  for (const std::string &name : Target::shippedNames()) {
    const auto target = Target::load(name).value();
    const auto printed = Target::parse(printTarget(*target, target->name(), target->description()), name).value();
    EXPECT_EQ(printed->fingerprint(), target->fingerprint()) << name;
    EXPECT_EQ(printed->description(), target->description());
    EXPECT_EQ(printed->power().levels, target->power().levels) << name;
    EXPECT_EQ(printed->power().idleStates, target->power().idleStates) << name;
  }
}

TEST(TargetEditTest, ChangesOnlyTheNamedFigures) {
  const auto target = changed("e256", {{"sram.bytes", "256K"}, {"dram.bandwidth", "0.5"}, {"energy.dramByte", "1.25"}});
  EXPECT_EQ(target->sram().bytes, 256u * 1024);
  EXPECT_EQ(target->dram().bandwidth.count, 1u);
  EXPECT_EQ(target->dram().bandwidth.cycles, 2u);
  EXPECT_EQ(target->energy().dramByte, 1.25);
  EXPECT_EQ(target->name(), "own");
  EXPECT_EQ(target->description(), "a \"changed\" one\\");
  const auto back =
      changed("e256", {{"sram.bytes", "2M"}, {"dram.bandwidth", "1"}, {"energy.dramByte", "60"}, {"mac.cores", "1"}});
  EXPECT_EQ(back->fingerprint(), Target::load("e256").value()->fingerprint());
}

TEST(TargetEditTest, ChangesPartsOfTablesAndRates) {
  const auto target =
      changed("e256", {{"mac.slowdown.f32", "4"}, {"mac.dense.channels", "16"}, {"dram.bandwidth.bytes", "8"}});
  EXPECT_EQ(target->mac().slowdown[static_cast<size_t>(DataType::Float32)], 4u);
  EXPECT_EQ(target->mac().dense.channels, 16u);
  EXPECT_EQ(target->mac().depthwise.channels, 8u);
  EXPECT_EQ(target->dram().bandwidth.count, 8u);
}

TEST(TargetEditTest, EqualValuesHaveOneForm) {
  EXPECT_EQ(normalTargetValue({"sram.bytes", "1M"}).value(), "1048576");
  EXPECT_EQ(normalTargetValue({"sram.bytes", "1024KiB"}).value(), "1048576");
  for (auto half : {"0.5", "1/2", "2/4", ".5", "0.500"})
    EXPECT_EQ(normalTargetValue({"dram.bandwidth", half}).value(), "1/2") << half;
  EXPECT_EQ(normalTargetValue({"dram.bandwidth", "4.0"}).value(), "4");
  EXPECT_EQ(normalTargetValue({"energy.sramByte", "1.50"}).value(), "1.5");
}

TEST(TargetEditTest, EveryKeyCanBeSet) {
  const std::vector<std::string> keys = targetKeys();
  EXPECT_THAT(keys, Contains("clockHz"));
  EXPECT_THAT(keys, Contains("dram.bandwidth"));
  EXPECT_THAT(keys, Contains("dram.bandwidth.cycles"));
  EXPECT_THAT(keys, Contains("dsp.lanes.bool8"));
  EXPECT_THAT(keys, Contains("energy.idleCycle"));
  for (const std::string &key : keys)
    EXPECT_TRUE(normalTargetValue({key, "2"}).isOk() || normalTargetValue({key, "1024"}).isOk()) << key;
}

TEST(TargetEditTest, UnknownKeysNameTheAcceptedOnes) {
  const std::string inSection = normalTargetValue({"sram.byte", "1M"}).status().message();
  EXPECT_THAT(inSection, HasSubstr("'sram.byte' is no figure of a target; section sram has sram.bytes, sram.banks"));
  EXPECT_THAT(inSection, Not(HasSubstr("dram")));
  EXPECT_THAT(normalTargetValue({"ram", "1"}).status().message(),
              HasSubstr("there are clockHz, mac, dsp, sram, dram, dma, command, energy"));
  for (auto key : {"", ".", "mac", "mac.dense", "sram.", "name", "description"})
    EXPECT_EQ(normalTargetValue({key, "1"}).code(), StatusCode::InvalidArgument) << key;
}

TEST(TargetEditTest, ValuesOutsideLimitsStateTheLimits) {
  EXPECT_THAT(normalTargetValue({"sram.bytes", "7"}).status().message(),
              HasSubstr("sram.bytes: '7' must be a number of bytes"));
  EXPECT_THAT(normalTargetValue({"mac.cores", "65"}).status().message(), HasSubstr("from 1 to 64"));
  for (auto rate : {"", "0", "0.0", "-1", "1/0", "0/1", "1/2/3", "1.2.3", "nan", "1e3", ".", "/", "1000001",
                    "1/1000001", "0.0000001", "99999999999999999999", "1K"})
    EXPECT_THAT(normalTargetValue({"dram.bandwidth", rate}).status().message(), HasSubstr("must be a rate above 0"))
        << rate;
  for (auto value : {"", "-1", "1.5", "x", "99999999999999999999"})
    EXPECT_EQ(normalTargetValue({"clockHz", value}).code(), StatusCode::InvalidArgument) << value;
}

TEST(TargetEditTest, RulesBetweenFiguresAreLeftToTheParser) {
  const auto base = Target::load("e256").value();
  const std::string text = changedTargetText(*base, {{{"sram.bytes", "1025"}}}, "own", "x").value();
  EXPECT_THAT(Target::parse(text, "own").status().message(), HasSubstr("sram.bytes is 1025, must be a multiple of"));
}

} // namespace
