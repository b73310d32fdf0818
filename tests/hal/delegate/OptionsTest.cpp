//===- OptionsTest.cpp - Texts of the application - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"
#include "plugin/TfliteDelegate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::delegate {
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

TEST(DelegateOptions, NoneGiveAnEmbeddedDevice) {
  const Result<Options> options = parseOptions(nullptr, nullptr, 0);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->engine.device, "e256");
  EXPECT_EQ(options->engine.socket, "");
}

TEST(DelegateOptions, AreTakenByName) {
  const Result<Options> options =
      parse({{"device", "m512"}, {"priority", "high"}, {"cache_dir", "/tmp/x"}, {"allow_fp16", "1"}, {"profile", "-"}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->engine.device, "m512");
  EXPECT_EQ(options->engine.priority, hal::Priority::High);
  EXPECT_EQ(options->engine.cacheFolder, "/tmp/x");
  EXPECT_TRUE(options->engine.allowsFloat16);
  EXPECT_EQ(options->profile, "-");
}

TEST(DelegateOptions, SocketChangesTheDefaultDevice) {
  EXPECT_EQ(parse({{"socket", "/tmp/s"}})->engine.device, "avocet-e256");
}

TEST(DelegateOptions, WrongOnesAreRefusedWithAdvice) {
  EXPECT_THAT(parse({{"devise", "e256"}}).status().message(), HasSubstr("the options are device, socket, priority"));
  EXPECT_THAT(parse({{"priority", "urgent"}}).status().message(), HasSubstr("must be low, medium or high"));
  EXPECT_THAT(parse({{"allow_fp16", "yes"}}).status().message(), HasSubstr("must be true or false"));
  EXPECT_THAT(parse({{"device", "e256"}, {"device", "m512"}}).status().message(), HasSubstr("given twice"));
}

TEST(DelegateOptions, HostileTextsAreRefused) {
  const std::string longText(1 << 20, 'x');
  EXPECT_THAT(parse({{longText.c_str(), "1"}}).status().message(), HasSubstr("more than 4096 bytes"));
  EXPECT_THAT(parse({{"device", longText.c_str()}}).status().message(), HasSubstr("more than 4096 bytes"));
  EXPECT_THAT(parse({{"\x1b[2Jdevice\n", "1"}}).status().message(), HasSubstr("'?[2Jdevice?'"));
  EXPECT_THAT(parse({{nullptr, "1"}}).status().message(), HasSubstr("null pointer"));
  EXPECT_THAT(parse({{"device", nullptr}}).status().message(), HasSubstr("null pointer"));
  EXPECT_THAT(parseOptions(nullptr, nullptr, 3).status().message(), HasSubstr("null pointers"));
  EXPECT_FALSE(parse({{"", ""}}));
}

TEST(DelegateCreation, MissingDevicesAreNamed) {
  Options options;
  options.engine.device = "e999";
  EXPECT_THAT(TfliteDelegate::create(options).status().message(), HasSubstr("'e999' cannot be opened"));
  options.engine.device = "avocet-e256";
  options.engine.socket = "/nonexistent/socket";
  EXPECT_THAT(TfliteDelegate::create(options).status().message(), HasSubstr("avocetd --socket /nonexistent/socket"));
}

} // namespace
} // namespace avocet::delegate
