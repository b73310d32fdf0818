//===- WrapperTest.cpp - The C++ wrapper of the C library -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/avocet.hpp"

#include "Fixture.h"

#include <cstring>

namespace avocet::capi::test {
namespace {

TEST(WrapperTest, CompilesRunsAndReports) {
  uint32_t steps = 0;
  api::Options options;
  options.set("profile", "true").onProgress([&](const char *, uint32_t, uint32_t total) { steps = total; });
  const api::Model model = api::Network(kDigits).compile(&options);
  EXPECT_EQ(model.count(AVOCET_INPUT), 1u);
  EXPECT_NE(steps, 0u);
  const api::Device device("sim");
  api::Run run(model, &device, &options);
  const api::Tensor input = run.input(0);
  EXPECT_EQ(input.shape(), (std::vector<int32_t>{1, 28, 28, 1}));
  EXPECT_EQ(input.scales().size(), input.zeroPoints().size());
  std::memset(input.data(), 5, input.bytes());
  run.execute();
  run.start();
  run.wait();
  EXPECT_THAT(run.report(), ::testing::HasSubstr("\"runs\": 2"));
  EXPECT_EQ(run.copiedBytes(), 0u);
}

TEST(WrapperTest, RefusalIsAnExceptionWithReasons) {
  api::Options options;
  options.set("target", "e256s");
  const api::Network network(kRefused.data(), kRefused.size(), "network.mlir");
  try {
    network.checkSupport(&options);
    FAIL() << "no exception";
  } catch (const api::Error &error) {
    EXPECT_EQ(error.code(), AVOCET_UNSUPPORTED);
    ASSERT_EQ(error.reasons().size(), 1u);
    EXPECT_EQ(error.reasons()[0].op, "LOCAL_RESPONSE_NORMALIZE");
  }
}

TEST(WrapperTest, GivesListsAndClasses) {
  api::Options options;
  options.set("target", "m512").set("top", "2");
  EXPECT_THAT(api::targets(), ::testing::HasSubstr("\"p4096\""));
  EXPECT_THAT(api::describeTarget(&options), ::testing::HasSubstr("\"sram.bytes\": \"393216\""));
  EXPECT_THAT(api::devices(), ::testing::HasSubstr("\"sim\""));
  api::Run run(api::Network(kDigits).compile());
  EXPECT_THROW(run.input(0).readImage("/nowhere.png"), api::Error);
  EXPECT_THROW(run.input(0).decodeImage("GIF89a", 6), api::Error);
  run.execute();
  EXPECT_THAT(run.output(0).classes(&options), ::testing::HasSubstr("\"score\""));
}

TEST(WrapperTest, CancelsCompilation) {
  api::Options options;
  options.cancelWhen([] { return true; });
  EXPECT_THROW(api::Network(kDigits).compile(&options), api::Error);
}

} // namespace
} // namespace avocet::capi::test
