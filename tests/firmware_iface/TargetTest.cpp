//===- TargetTest.cpp - Target files ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Target.h"
#include "avocet/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace avocet;
using namespace avocet::firmware;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::shared_ptr<const Target> shipped(std::string_view name) {
  Result<std::shared_ptr<const Target>> target = Target::load(name);
  EXPECT_TRUE(target) << target.status().toString();
  return target ? *target : nullptr;
}

std::string textOf(const std::string &name) {
  std::ifstream file(std::string(AVOCET_TARGETS_DIR) + "/" + name + ".toml");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty());
  return text.str();
}

/// The text of e256 with the first match of `pattern` replaced.
std::string e256With(const std::string &pattern, const std::string &replacement) {
  std::string text = textOf("e256");
  EXPECT_TRUE(std::regex_search(text, std::regex(pattern))) << pattern;
  return std::regex_replace(text, std::regex(pattern), replacement, std::regex_constants::format_first_only);
}

//===----------------------------------------------------------------------===//
// The shipped profiles
//===----------------------------------------------------------------------===//

/// Cycles per element times a million.
uint64_t millionths(const Rate &rate) { return rate.cycles * 1'000'000 / rate.count; }

TEST(ShippedTargets, AreFour) { EXPECT_THAT(Target::shippedNames(), ElementsAre("e256", "e256s", "m512", "p4096")); }

TEST(ShippedTargets, FileNamesEqualTargetNames) {
  for (const std::string &name : Target::shippedNames())
    EXPECT_EQ(shipped(name)->name(), name);
}

TEST(ShippedTargets, ProductsPerCycle) {
  EXPECT_EQ(shipped("e256")->macsPerCycle(DataType::Int8), 256u);
  EXPECT_EQ(shipped("e256s")->macsPerCycle(DataType::UInt8), 256u);
  EXPECT_EQ(shipped("m512")->macsPerCycle(DataType::Int16), 256u);
  EXPECT_EQ(shipped("m512")->macsPerCycle(DataType::Float16), 256u);
  EXPECT_EQ(shipped("p4096")->macsPerCycle(DataType::Int8), 4096u);
  EXPECT_EQ(shipped("p4096")->macsPerCycle(DataType::Float32), 512u);
  EXPECT_EQ(shipped("e256")->macsPerCycle(DataType::Int32), 0u);
  EXPECT_EQ(shipped("p4096")->macsPerCycle(DataType::BFloat16), 0u);
}

TEST(ShippedTargets, ElementRatesDoNotExceedTheDesign) {
  struct Row {
    const char *name;
    uint64_t output, add, mul, lookup, maxPool;
  };
  for (const Row &row :
       {Row{"e256", 250000, 750000, 375000, 1000000, 125000}, Row{"m512", 125000, 375000, 190000, 500000, 62500},
        Row{"p4096", 16000, 30000, 20000, 30000, 10000}}) {
    const auto target = shipped(row.name);
    const MacArrayModel &mac = target->mac();
    EXPECT_EQ(millionths(mac.outputStage), row.output) << row.name;
    EXPECT_EQ(millionths(mac.add), row.add) << row.name;
    EXPECT_EQ(millionths(mac.mul), row.mul) << row.name;
    EXPECT_EQ(millionths(mac.lookup), row.lookup) << row.name;
    EXPECT_EQ(millionths(mac.maxPool), row.maxPool) << row.name;
  }
}

TEST(ShippedTargets, MemoriesMatchTheDesign) {
  EXPECT_EQ(shipped("e256")->sram().bytes, 2u << 20);
  EXPECT_EQ(shipped("e256s")->sram().bytes, 384u << 10);
  EXPECT_EQ(shipped("m512")->sram().bytes, 384u << 10);
  EXPECT_EQ(shipped("p4096")->sram().bytes, 4u << 20);
  EXPECT_EQ(shipped("m512")->dram().bandwidth.cyclesFor(375), 100u);
  EXPECT_EQ(shipped("m512")->dram().readLatencyCycles, 500u);
  EXPECT_EQ(shipped("m512")->dram().writeLatencyCycles, 250u);
  EXPECT_EQ(shipped("p4096")->dma().channels, 4u);
}

TEST(ShippedTargets, SmallAndLargeE256DifferInMemoryOnly) {
  auto large = shipped("e256"), small = shipped("e256s");
  EXPECT_EQ(large->clockHz(), small->clockHz());
  EXPECT_EQ(large->mac().dense.products, small->mac().dense.products);
  EXPECT_EQ(large->dram().burstBytes, small->dram().burstBytes);
  EXPECT_NE(large->fingerprint(), small->fingerprint());
}

TEST(ShippedTargets, ChannelsCanKeepTheOffChipPortBusy) {
  for (const std::string &name : Target::shippedNames()) {
    auto target = shipped(name);
    uint64_t needed =
        target->dram().bandwidth.count * target->dram().readLatencyCycles / target->dram().bandwidth.cycles;
    EXPECT_GE(uint64_t{target->dma().channels} * target->dma().outstandingBytes, needed) << name;
  }
}

//===----------------------------------------------------------------------===//
// Fingerprint
//===----------------------------------------------------------------------===//

TEST(TargetFingerprint, DiffersBetweenProfiles) {
  std::set<uint64_t> fingerprints;
  for (const std::string &name : Target::shippedNames())
    fingerprints.insert(shipped(name)->fingerprint());
  EXPECT_EQ(fingerprints.size(), 4u);
}

TEST(TargetFingerprint, IgnoresNameDescriptionAndComments) {
  std::string text = e256With("name = \"e256\"", "name = \"other\" # a comment");
  text = std::regex_replace(text, std::regex("description = \".*\""), "description = \"x\"");
  Result<std::shared_ptr<const Target>> other = Target::parse(text, "other");
  ASSERT_TRUE(other) << other.status().toString();
  EXPECT_EQ((*other)->fingerprint(), shipped("e256")->fingerprint());
}

/// Replacing any single figure x by 2x + 1 must break a rule or change the fingerprint, outside of [power].
TEST(TargetFingerprint, EveryFigureCounts) {
  const std::string text = textOf("e256");
  const auto power = static_cast<ptrdiff_t>(text.find("[power]")),
             energy = static_cast<ptrdiff_t>(text.find("[energy]"));
  ASSERT_LT(power, energy);
  const std::regex figure("(\\w+ = )([0-9][0-9_]*)(\\.[0-9]+)?");
  size_t figures = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), figure), end; match != end; ++match) {
    if (match->position() > power && match->position() < energy)
      continue;
    std::string digits = match->str(2);
    std::erase(digits, '_');
    std::string changed = text.substr(0, match->position()) + match->str(1) +
                          std::to_string(std::stoull(digits) * 2 + 1) + match->str(3) +
                          text.substr(match->position() + match->length());
    Result<std::shared_ptr<const Target>> target = Target::parse(changed, "changed");
    if (target) {
      EXPECT_NE((*target)->fingerprint(), shipped("e256")->fingerprint()) << match->str();
    }
    ++figures;
  }
  EXPECT_GT(figures, 60u);
}

/// Levels change neither the commands nor the cycles of a job, so that artefacts stay valid.
TEST(TargetFingerprint, PowerFiguresDoNotCount) {
  const std::string text = e256With("clockPercent = 40, millivolts = 600", "clockPercent = 50, millivolts = 610");
  Result<std::shared_ptr<const Target>> other = Target::parse(text, "other");
  ASSERT_TRUE(other) << other.status().toString();
  EXPECT_EQ((*other)->power().levels.front().clockPercent, 50u);
  EXPECT_EQ((*other)->fingerprint(), shipped("e256")->fingerprint());
}

/// Artefacts and measured capabilities are kept under them.
TEST(TargetFingerprint, ShippedOnesStay) {
  EXPECT_EQ(shipped("e256")->fingerprint(), 0x38c00a8be3f68de6u);
  EXPECT_EQ(shipped("e256s")->fingerprint(), 0x0c0f25c50135b2f7u);
  EXPECT_EQ(shipped("m512")->fingerprint(), 0x9892efdd105d425au);
  EXPECT_EQ(shipped("p4096")->fingerprint(), 0x6bbc63d2d80c6bf8u);
}

/// Files of users lack figures that came later.
TEST(TargetFingerprint, OptionalFiguresCountWhereTheyAre) {
  Result<std::shared_ptr<const Target>> former = Target::parse(e256With("scaledDecodeRate = 8\n", ""), "former");
  ASSERT_TRUE(former) << former.status().toString();
  EXPECT_EQ((*former)->mac().scaledDecodeRate, 0u);
  EXPECT_EQ((*former)->fingerprint(), 0x1d8e64b90b51f02eu);
}

//===----------------------------------------------------------------------===//
// Nonsense
//===----------------------------------------------------------------------===//

struct Nonsense {
  const char *name;
  const char *pattern;
  const char *replacement;
  const char *message;
};

void PrintTo(const Nonsense &nonsense, std::ostream *os) { *os << nonsense.name; }

const Nonsense kNonsense[] = {
    {"MissingField", "clockHz = .*\n", "", "clockHz is missing"},
    {"MissingNested", "products = 32, ", "", "mac.dense.products is missing"},
    {"MissingSection", "\\[dma\\]", "[dmaa]", "dma is missing"},
    {"UnknownField", "\\[dsp\\]", "[dsp]\nspeed = 3", "dsp.speed is no known field"},
    {"UnknownRootField", "name =", "color = 1\nname =", "color is no known field"},
    {"UnknownType", "i32 = 0, ", "i32 = 0, i4 = 1, ", "mac.slowdown.i4 is no known field"},
    {"TextForNumber", "banks = 4", "banks = \"four\"", "sram.banks must be an integer"},
    {"FractionForInteger", "banks = 4", "banks = 4.0", "sram.banks must be an integer"},
    {"NumberForTable", "outputStage = .*", "outputStage = 4", "mac.outputStage must be a table"},
    {"NumberForText", "name = \"e256\"", "name = 256", "name must be a string"},
    {"TextForEnergy", "dspOp = 1.0", "dspOp = \"low\"", "energy.dspOp must be a number"},
    {"NegativeEnergy", "dspOp = 1.0", "dspOp = -1.0", "energy.dspOp is -1, must be 0 to"},
    {"NanEnergy", "dspOp = 1.0", "dspOp = nan", "energy.dspOp is nan"},
    {"InfiniteEnergy", "dspOp = 1.0", "dspOp = inf", "energy.dspOp is inf"},
    {"Zero", "cores = 1", "cores = 0", "mac.cores is 0, must be 1 to 64"},
    {"Negative", "cores = 1", "cores = -1", "mac.cores is -1, must be 1 to 64"},
    {"Huge", "cores = 1", "cores = 9_223_372_036_854_775_807", "mac.cores is 9223372036854775807"},
    {"TooHugeToRead", "cores = 1", "cores = 99999999999999999999", "line "},
    {"ZeroRate", "elements = 4, cycles = 1", "elements = 0, cycles = 1", "mac.outputStage.elements is 0"},
    {"ZeroBandwidth", "bytes = 1, cycles = 1", "bytes = 1, cycles = 0", "dram.bandwidth.cycles is 0"},
    {"EmptyName", "name = \"e256\"", "name = \"\"", "name is 0 bytes long"},
    {"NameWithSlash", "name = \"e256\"", "name = \"../e256\"", "name '../e256' may hold only"},
    {"OddBurst", "burstBytes = 32", "burstBytes = 24", "sram.burstBytes is 24, must be a power of two"},
    {"OddBanks", "banks = 4", "banks = 3", "sram.banks is 3, must be a power of two"},
    {"OddSram", "bytes = 2_097_152", "bytes = 2_097_153", "sram.bytes is 2097153, must be a multiple of sram.burst"},
    {"SlowDram", "bytes = 1, cycles = 1", "bytes = 1, cycles = 65",
     "dram.bandwidth is 1 bytes in 65 cycles, must be at least 1 byte in 64 cycles"},
    {"LongLatency", "readLatencyCycles = 64", "readLatencyCycles = 32_769",
     "dram.readLatencyCycles is 32769, must be at most 32768 with dma.outstandingBytes of 512"},
    {"OddOutstanding", "outstandingBytes = 512", "outstandingBytes = 100",
     "must be a multiple of dram.burstBytes (128)"},
    {"BufferTooSmall", "height = 2, width = 2, channels = 8, products = 32",
     "height = 4, width = 4, channels = 8, products = 4096",
     "mac.bufferBytes is 49152, one mac.dense step needs 132096"},
    {"BlockSmallerThanStep", "largestBlock = .*", "largestBlock = { height = 1, width = 64, channels = 128 }",
     "mac.largestBlock 1x64x128 is smaller than the mac.dense step 2x2x8"},
    {"BaseRateSlowedDown", "i8 = 1, ", "i8 = 2, ", "mac.slowdown.i8 must be 1"},
    {"DspWithoutFloats", "f32 = 4", "f32 = 0", "dsp.lanes.f32 is 0"},
    {"TooFewSemaphores", "semaphores = 64", "semaphores = 5", "command.semaphores is 5, 3 engines need 6"},
    {"NoClockLevels", "levels = \\[[^\\]]*\\]", "levels = []",
     "power.levels must have one level with clockPercent 100"},
    {"LevelsOutOfOrder", "clockPercent = 40", "clockPercent = 90", "ascending order of clockPercent"},
    {"VoltageFallsWithClock", "millivolts = 720", "millivolts = 900", "power.levels: millivolts may not fall"},
    {"LeakageFallsWithClock", "staticMilliwatts = 2.9", "staticMilliwatts = 29", "staticMilliwatts may not fall"},
    {"LevelWithoutVoltage", ", millivolts = 600", "", "power.levels[0].millivolts is missing"},
    {"UnknownLevelField", "millivolts = 720", "millivolts = 720, amperes = 1",
     "power.levels[1].amperes is no known field"},
    {"LevelIsNoTable", "\\{ name = \"low\"[^}]*\\}", "40", "power.levels[0] must be a table"},
    {"TwoLevelsOfOneName", "name = \"sustained\"", "name = \"low\"", "power.levels name 'low' occurs twice"},
    {"IdleStatesOutOfOrder", "entryNanoseconds = 20_000", "entryNanoseconds = 2_000_000",
     "ascending order of entryNanoseconds"},
    {"DeeperStateNeedsMorePower", "milliwatts = 0.2,", "milliwatts = 2,", "power.idleStates: milliwatts may not rise"},
    {"DeeperStateWakesFaster", "wakeNanoseconds = 50_000", "wakeNanoseconds = 50",
     "power.idleStates: wakeNanoseconds may not fall"},
    {"IdleStatesAreNoList", "idleStates = \\[[^\\]]*\\]", "idleStates = 3", "power.idleStates must be an array of at"},
    {"DuplicateKey", "banks = 4", "banks = 4\nbanks = 4", "line "},
    {"NoToml", "\\[mac\\]", "[mac", "line "},
};

class TargetNonsense : public testing::TestWithParam<Nonsense> {};

TEST_P(TargetNonsense, ErrorNamesBadField) {
  const Nonsense &nonsense = GetParam();
  Status status = Target::parse(e256With(nonsense.pattern, nonsense.replacement), "bad.toml").status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("target bad.toml: "));
  EXPECT_THAT(status.message(), HasSubstr(nonsense.message));
}

INSTANTIATE_TEST_SUITE_P(All, TargetNonsense, testing::ValuesIn(kNonsense),
                         [](const auto &info) { return info.param.name; });

TEST(TargetParser, RefusesOtherTexts) {
  for (std::string_view text : {"", "=", "\xFF\xFE", "name = \"x\"", "[[mac]]", "a.b.c.d = 1", "[}", "[[}", "a = [}"})
    EXPECT_FALSE(Target::parse(text, "text")) << text;
  EXPECT_THAT(Target::parse(std::string(2 << 20, '#'), "text").status().message(), HasSubstr("at most 1048576"));
  EXPECT_FALSE(Target::parse("a = " + std::string(100000, '['), "deep"));
}

TEST(TargetParser, RefusesOtherCharacters) {
  EXPECT_THAT(Target::parse("\xC3\x98 = 1", "text").status().message(), HasSubstr("byte 0 is 0xc3"));
  EXPECT_THAT(Target::parse("a\a = 1", "text").status().message(), HasSubstr("byte 1 is 0x07"));
}

TEST(TargetParser, SurvivesEveryTruncation) {
  std::string text = textOf("m512");
  // A part of the last value may be a value.
  const size_t lastValue = text.find_last_of('=') + 1;
  for (size_t size = 0; size <= lastValue; size += 7)
    EXPECT_FALSE(Target::parse(text.substr(0, size), "cut")) << size;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(TargetLoad, ReadsAPath) {
  Result<std::shared_ptr<const Target>> target = Target::load(std::string(AVOCET_TARGETS_DIR) + "/p4096.toml");
  ASSERT_TRUE(target) << target.status().toString();
  EXPECT_EQ((*target)->fingerprint(), shipped("p4096")->fingerprint());
}

TEST(TargetLoad, UnknownNameListsShippedNames) {
  Status status = Target::load("e257").status();
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("e256, e256s, m512, p4096"));
}

TEST(TargetLoad, ErrorNamesMissingFile) {
  Status status = Target::load("nowhere/x.toml").status();
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("nowhere/x.toml"));
}

TEST(TargetRates, RoundUp) {
  Rate rate{4, 3};
  EXPECT_EQ(rate.cyclesFor(0), 0u);
  EXPECT_EQ(rate.cyclesFor(1), 1u);
  EXPECT_EQ(rate.cyclesFor(4), 3u);
  EXPECT_EQ(rate.cyclesFor(5), 4u);
}

} // namespace
