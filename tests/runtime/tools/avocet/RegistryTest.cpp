//===- RegistryTest.cpp - Devices of several services -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include "avocet/hal/ipc/ServiceProcess.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/stat.h>

namespace avocet::tool::test {
namespace {

using hal::ServiceProcess;
using ::testing::HasSubstr;

/// Two services with a device of the same name, of which the second speaks an older version of the protocol.
class RegistryCommands : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ASSERT_EQ(::mkdir(path("registry").c_str(), 0755), 0);
    first_ = start("first", {});
    second_ = start("second", {"--newest-protocol", "2"});
  }
  void TearDown() override {
    for (std::optional<ServiceProcess> *service : {&first_, &second_})
      if (*service) {
        auto how = (*service)->stop();
        EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << read("first.log") << read("second.log");
      }
    ToolTest::TearDown();
  }
  std::optional<ServiceProcess> start(const std::string &name, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--target", "e256"});
    auto started = ServiceProcess::startInRegistry(AVOCETD, path("registry"), name, arguments, path(name + ".log"));
    EXPECT_TRUE(started.isOk()) << started.status().toString() << read(name + ".log");
    return started ? std::optional(std::move(*started)) : std::nullopt;
  }
  nlohmann::json list() {
    ToolResult text = run({"devices", "--socket", "registry", "--json"});
    EXPECT_EQ(text.exitCode, 0) << text.errors;
    return text.exitCode == 0 ? nlohmann::json::parse(text.output) : nlohmann::json();
  }

  std::optional<ServiceProcess> first_, second_;
};

TEST_F(RegistryCommands, DevicesOfAllServicesAreListed) {
  const nlohmann::json devices = list();
  ASSERT_EQ(devices["devices"].size(), 2u) << devices;
  EXPECT_EQ(devices["devices"][0]["device"], "avocet-e256");
  EXPECT_EQ(devices["devices"][0]["service"], "first");
  EXPECT_EQ(devices["devices"][1]["device"], "avocet-e256@second");
  EXPECT_EQ(devices["devices"][1]["target"], "e256");
  EXPECT_EQ(devices["services"].size(), 2u);
  EXPECT_TRUE(devices["left_out"].empty());
  ToolResult table = run({"devices", "--socket", "registry"});
  for (auto words : {"service", "avocet-e256@second", "service    first", "service    second"})
    EXPECT_THAT(table.output, HasSubstr(words));
}

TEST_F(RegistryCommands, DeadServiceIsLeftOutUntilNextStart) {
  first_->kill();
  nlohmann::json devices = list();
  ASSERT_EQ(devices["devices"].size(), 1u) << devices;
  EXPECT_EQ(devices["devices"][0]["device"], "avocet-e256");
  EXPECT_EQ(devices["devices"][0]["service"], "second");
  ASSERT_EQ(devices["left_out"].size(), 1u);
  EXPECT_EQ(devices["left_out"][0]["service"], "first");
  EXPECT_EQ(devices["left_out"][0]["error"], "DEAD_OBJECT");
  EXPECT_THAT(run({"devices", "--socket", "registry"}).output, HasSubstr("left out   first: no service listens"));
  first_ = start("first", {});
  EXPECT_EQ(list()["devices"].size(), 2u) << read("first.log");
}

TEST_F(RegistryCommands, RunFindsDeviceByLongName) {
  const std::string digits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";
  ToolResult result =
      run({"run", digits, "--device", "avocet-e256@second", "--socket", "registry", "--report", "json"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const nlohmann::json devices = list();
  EXPECT_EQ(devices["services"]["first"]["objects"], 0);
  ToolResult absent = run({"run", digits, "--device", "avocet-e256@third", "--socket", "registry", "--report", "json"});
  EXPECT_EQ(absent.exitCode, 1);
  EXPECT_THAT(absent.errors, HasSubstr("has no service 'third'"));
}

TEST_F(RegistryCommands, RegistryThatOthersMayChangeIsRefused) {
  ASSERT_EQ(::chmod(path("registry").c_str(), 0777), 0);
  ToolResult client = run({"devices", "--socket", "registry"});
  EXPECT_EQ(client.exitCode, 1);
  EXPECT_THAT(client.errors, HasSubstr("other users could change"));
  auto service = ServiceProcess::startInRegistry(AVOCETD, path("registry"), "third", {}, path("third.log"));
  EXPECT_FALSE(service.isOk());
  EXPECT_THAT(read("third.log"), HasSubstr("other users could change"));
}

} // namespace
} // namespace avocet::tool::test
