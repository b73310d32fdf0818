//===- OptionsTest.cpp - Options of the provider ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::ort {
namespace {

using testing::HasSubstr;

Result<Options> parse(const std::vector<std::pair<const char *, const char *>> &pairs) {
  std::vector<const char *> keys, values;
  for (const auto &[key, value] : pairs) {
    keys.push_back(key);
    values.push_back(value);
  }
  return parseOptions(keys.data(), values.data(), keys.size());
}

TEST(ProviderOptions, NoneGiveAnEmbeddedDevice) {
  const Result<Options> options = parseOptions(nullptr, nullptr, 0);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->engine.device, "e256");
  EXPECT_FALSE(options->allowsFloat32);
  EXPECT_FALSE(options->deadline);
}

TEST(ProviderOptions, AreTakenByName) {
  const Result<Options> options = parse(
      {{"device", "m512"}, {"priority", "low"}, {"allow_fp32", "true"}, {"deadline_ms", "250"}, {"profile", "a.json"}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->engine.device, "m512");
  EXPECT_EQ(options->engine.priority, hal::Priority::Low);
  EXPECT_TRUE(options->allowsFloat32);
  EXPECT_EQ(options->deadline, std::chrono::milliseconds(250));
  EXPECT_EQ(options->profile, "a.json");
}

TEST(ProviderOptions, WrongOnesAreRefusedWithAdvice) {
  EXPECT_THAT(parse({{"devise", "-"}}).status().message(), HasSubstr("allow_fp16, allow_fp32, deadline_ms, profile"));
  EXPECT_THAT(parse({{"allow_fp32", "yes"}}).status().message(), HasSubstr("option allow_fp32 is 'yes', must be"));
  EXPECT_THAT(parse({{"profile", "-"}}).status().message(), HasSubstr("option profile is '-', must be a file"));
  for (const char *text : {"0", "-1", "1.5", "", "5000000000", "1s"})
    EXPECT_THAT(parse({{"deadline_ms", text}}).status().message(), HasSubstr("number of milliseconds from 1 on"));
}

TEST(ProviderOptions, SessionsShareADeviceOnlyWithEqualOptions) {
  const std::string key = keyOf(parse({{"deadline_ms", "9"}})->engine);
  EXPECT_EQ(key, keyOf(parse({})->engine));
  for (const auto &[name, value] : std::vector<std::pair<const char *, const char *>>{
           {"device", "m512"}, {"socket", "/tmp/s"}, {"priority", "low"}, {"cache_dir", "/tmp"}, {"allow_fp16", "1"}})
    EXPECT_NE(key, keyOf(parse({{name, value}})->engine)) << name;
}

} // namespace
} // namespace avocet::ort
