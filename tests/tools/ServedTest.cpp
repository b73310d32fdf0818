//===- ServedTest.cpp - avocet devices and avocet run --device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include "avocet/hal/conformance/ServiceProcess.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;

/// A service of its own for each test, with two devices; one is given by the path of a target file.
class ServedCommands : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    auto started = hal::conformance::ServiceProcess::start(
        AVOCETD, path("socket"), {"--target", "e256", "--target", kTargetFile, "--cache-dir", path("cache")},
        path("log"));
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    service_.emplace(std::move(*started));
  }
  void TearDown() override {
    if (service_) {
      auto how = service_->stop();
      EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << read("log");
    }
    ToolTest::TearDown();
  }

  static constexpr const char *kTargetFile = AVOCET_SOURCE_DIR "/firmware_iface/targets/m512.toml";
  std::optional<hal::conformance::ServiceProcess> service_;
};

TEST_F(ServedCommands, DevicesAreListed) {
  ToolResult table = run({"devices", "--socket", "socket"});
  ASSERT_EQ(table.exitCode, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("avocet-m512"));
  EXPECT_THAT(table.output, HasSubstr("available"));
  ToolResult text = run({"devices", "--socket", "socket", "--json"});
  ASSERT_EQ(text.exitCode, 0) << text.errors;
  nlohmann::json devices = nlohmann::json::parse(text.output)["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]["device"], "avocet-e256");
  EXPECT_EQ(devices[1]["target"], "m512");
  EXPECT_NE(devices[0]["version"], devices[1]["version"]);
  EXPECT_EQ(devices[1]["extensions"][0], "com.avocet.tflite");
}

TEST_F(ServedCommands, DevicesNeedAService) {
  ToolResult result = run({"devices", "--socket", "nobody"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("start avocetd"));
}

TEST_F(ServedCommands, RunsAreRefusedWithAReason) {
  writeCopyModel();
  ToolResult artefacts = run({"run", "model", "--device", "avocet-e256", "--socket", "socket"});
  EXPECT_EQ(artefacts.exitCode, 1);
  EXPECT_THAT(artefacts.errors, HasSubstr("give it a .tflite file"));
  write("model.tflite", "rubbish");
  ToolResult unknown = run({"run", "model.tflite", "--device", "avocet-mine", "--socket", "socket"});
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("--target"));
  EXPECT_EQ(run({"run", "model.tflite", "--socket", "socket"}).exitCode, 2);
  EXPECT_EQ(run({"run", "model.tflite", "--device", "avocet-e256", "--mode", "timing"}).exitCode, 2);
}

#ifdef AVOCET_SHARED_DATA
TEST_F(ServedCommands, RunsGiveTheSameBits) {
  const std::string network = AVOCET_SHARED_DATA "/models/kws_dscnn_int8/model.tflite";
  if (!std::filesystem::exists(network))
    GTEST_SKIP() << network << " is not there";
  for (const char *target : {"e256", "m512"}) {
    ToolResult local = run({"run", network, "-t", target, "--output-dir", "local", "--report", "json"});
    ASSERT_EQ(local.exitCode, 0) << local.errors;
    ToolResult served = run({"run", network, "--device", std::string("avocet-") + target, "--socket", "socket",
                             "--output-dir", "served", "--report", "json", "--repeat", "2"});
    ASSERT_EQ(served.exitCode, 0) << served.errors;
    EXPECT_EQ(read("served/out0.bin"), read("local/out0.bin"));
    nlohmann::json here = nlohmann::json::parse(local.output), there = nlohmann::json::parse(served.output);
    EXPECT_EQ(here["layers"].size(), there["layers"].size());
    EXPECT_GT(there["cycles"], 0);
    EXPECT_FALSE(there["measured"]);
  }
}
#endif

} // namespace
} // namespace avocet::tool::test
