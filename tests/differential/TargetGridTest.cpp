//===- TargetGridTest.cpp - Networks on every target that the check accepts ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A figure of a target changes times, and nothing else: whatever the check of targets accepts must compile, or be
// refused with a reason, and give the same bits. UBSan sees divisions by zero and overflows of the figures.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Random.h"
#include "Sanitizer.h"
#include "TemporaryFolder.h"
#include "Tester.h"

#include "avocet/base/File.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace avocet::differential {
namespace {

using firmware::Target;
using firmware::TargetChange;

constexpr const char *kValues[] = {"0",    "1",     "2",      "3",       "16",        "100",
                                   "4096", "50000", "131072", "1000000", "268435456", "1/1000000"};

std::vector<TestModel> networks() {
  std::vector<TestModel> models;
  for (const char *name : {"CONV_2D/i8/3", "SOFTMAX/f32/2", "ADD/u8/1"}) {
    const CaseName found = *CaseName::parse(name);
    models.push_back(draw(*found.row, found.kind, found.seed));
  }
  return models;
}

class TargetGridTest : public testing::Test {
protected:
  TargetGridTest() {
    for (const TestModel &model : models_)
      expected_.push_back(runOnDevice(model).outputs);
  }

  /// Whether the check of targets accepts the changes; then the networks must run or be refused.
  bool run(std::span<const TargetChange> changes) {
    const Result<std::string> text = firmware::changedTargetText(**Target::load("e256"), changes, "e256", "changed");
    if (!text || !Target::parse(*text, "changed"))
      return false;
    // A name of its own, since the compiler keeps targets by name.
    const std::string path = folder_.path() / fmt::format("changed{}.toml", number_++);
    EXPECT_TRUE(writeFile(path, *text).isOk());
    for (size_t i = 0; i < models_.size(); ++i) {
      const DeviceResult result = runOnDevice(models_[i], {.target = path, .timing = true});
      if (result.refusal.empty())
        EXPECT_EQ(result.outputs, expected_[i]) << describe(changes) << ": " << result.status.toString();
    }
    return true;
  }

  static std::string describe(std::span<const TargetChange> changes) {
    std::string text;
    for (const TargetChange &change : changes)
      text += fmt::format("{} = {} ", change.key, change.value);
    return text;
  }

  const test::TemporaryFolder folder_{"targetGrid"};
  const std::vector<TestModel> models_ = networks();
  std::vector<std::vector<Bytes>> expected_;
  size_t number_ = 0;
};

TEST_F(TargetGridTest, ExtremesOfEachFigureRun) {
  size_t accepted = 0, number = 0;
  for (const std::string &key : firmware::targetKeys())
    for (const char *value : kValues)
      if (++number % casesOf(1, 6) == 0) {
        const TargetChange change{key, value};
        accepted += run({&change, 1}) ? 1 : 0;
      }
  EXPECT_GE(accepted, casesOf(60, 10));
}

TEST_F(TargetGridTest, RandomFiguresRun) {
  stress::Random random(11);
  const std::vector<std::string> keys = firmware::targetKeys();
  size_t accepted = 0;
  for (size_t round = 0; round < casesOf(300, 30); ++round) {
    std::vector<TargetChange> changes;
    for (uint64_t count = 1 + random.below(4); count > 0; --count)
      changes.push_back({keys[random.below(keys.size())], kValues[random.below(std::size(kValues))]});
    accepted += run(changes) ? 1 : 0;
  }
  EXPECT_GE(accepted, casesOf(20, 2));
}

} // namespace
} // namespace avocet::differential
