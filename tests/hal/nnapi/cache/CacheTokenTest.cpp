//===- CacheTokenTest.cpp - Tokens and names of cache files -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/DescribedDevice.h"
#include "cache/CacheFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace avocet::nnapi {
namespace {

using hal::ErrorStatus;

/// A device of which only the name and the version matter.
class NamedDevice final : public hal::DescribedDevice {
public:
  NamedDevice(std::string name, std::string version)
      : DescribedDevice({.name = std::move(name), .version = std::move(version)}) {}
  hal::DeviceStatus status() const override { return hal::DeviceStatus::Available; }
  hal::Result<hal::SupportedOperations> getSupportedOperations(const hal::Model &) const override { return refuse(); }
  hal::Result<std::shared_ptr<hal::IPreparedModel>> prepareModel(const hal::Model &,
                                                                 const hal::PrepareOptions &) override {
    return refuse();
  }
  ErrorStatus prepareModelAsynchronously(const hal::Model &, const hal::PrepareOptions &,
                                         hal::PreparedModelCallback) override {
    return refuse().code;
  }
  hal::Result<std::shared_ptr<hal::IPreparedModel>> prepareModelFromCache(const hal::OptionalTimePoint &,
                                                                          const hal::CacheFiles &) override {
    return refuse();
  }

private:
  static hal::Error refuse() { return hal::generalFailure("not needed here"); }
};

/// What a token is made of.
struct Parts {
  CompilationOptions options;
  std::string device = "npu", version = "1";
  std::vector<hal::SourceOperation> step;

  hal::CacheToken token() const { return tokenFor(options, NamedDevice(device, version), step); }
};

Parts parts() {
  Parts parts;
  parts.options.cache = CachePlace{"folder", {1, 2, 3}, {}};
  parts.options.extensions = {{"vendor.a", 7}, {"vendor.b", 9}};
  parts.options.hints = {{7 << 16 | 1, {5}}, {9 << 16 | 1, {6}}};
  return parts;
}

TEST(CacheTokenTest, EachPartChangesToken) {
  std::set<hal::CacheToken> tokens = {parts().token()};
  EXPECT_TRUE(tokens.contains(parts().token())) << "equal parts have one token";
  const std::function<void(Parts &)> changes[] = {
      [](Parts &p) { p.options.cache->token[31] = 1; },
      [](Parts &p) { p.step = {{0, 0}}; },
      [](Parts &p) { p.step = {{0, 1}}; },
      [](Parts &p) { p.step = {{1, 0}}; },
      [](Parts &p) { p.step = {{0, 0}, {0, 1}}; },
      [](Parts &p) { p.device = "npu2"; },
      [](Parts &p) { p.version = "2"; },
      [](Parts &p) { p.device = "npu1", p.version = ""; }, // the boundary between the two
      [](Parts &p) { p.options.preference = hal::ExecutionPreference::LowPower; },
      [](Parts &p) { p.options.priority = hal::Priority::High; },
      [](Parts &p) { p.options.hints.pop_back(); },
      [](Parts &p) { p.options.hints[0].value = {6}; },
      [](Parts &p) { p.options.hints[0].token = 7 << 16 | 2; },
      [](Parts &p) { p.options.extensions[0].name = "vendor.c"; },
  };
  for (const auto &change : changes) {
    Parts changed = parts();
    change(changed);
    EXPECT_TRUE(tokens.insert(changed.token()).second) << "change " << tokens.size() - 1;
  }
}

/// Prefixes differ from process to process.
TEST(CacheTokenTest, OrderAndPrefixOfHintsDoNotCount) {
  Parts other = parts();
  std::swap(other.options.hints[0], other.options.hints[1]);
  EXPECT_EQ(other.token(), parts().token());
  other.options.extensions = {{"vendor.b", 2}, {"vendor.a", 1}};
  other.options.hints = {{1 << 16 | 1, {5}}, {2 << 16 | 1, {6}}};
  EXPECT_EQ(other.token(), parts().token());
}

TEST(CacheTokenTest, FileNameHasLettersOfToken) {
  hal::CacheToken token = {};
  token[0] = 0x0F;
  token[1] = 0xA1;
  const std::string name = cacheFileName(token, false, 0);
  EXPECT_EQ(name, "PABK" + std::string(60, 'A') + "10");
  EXPECT_EQ(cacheFileName(token, true, 12), "PABK" + std::string(60, 'A') + "212");
}

} // namespace
} // namespace avocet::nnapi
