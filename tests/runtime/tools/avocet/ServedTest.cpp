//===- ServedTest.cpp - avocet devices and avocet run --device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include "avocet/hal/ipc/ServiceProcess.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Starts a service for each test, with two devices; one is given by the path of a target file.
class ServedCommands : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    auto started = hal::ServiceProcess::start(
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
  std::optional<hal::ServiceProcess> service_;
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
  EXPECT_EQ(devices[1]["extensions"],
            nlohmann::json({"com.avocet.fixed_point", "com.avocet.tflite", "com.avocet.onnx"}));
}

TEST_F(ServedCommands, OwnerOfServiceSeesTotals) {
  ToolResult text = run({"devices", "--socket", "socket", "--json"});
  ASSERT_EQ(text.exitCode, 0) << text.errors;
  nlohmann::json list = nlohmann::json::parse(text.output);
  for (const nlohmann::json &device : list["devices"])
    for (auto key : {"clients", "prepared_models", "buffers", "executions", "memory_bytes"})
      EXPECT_EQ(device["totals"][key], 0) << key;
  EXPECT_GE(list["service"]["clients"], 1);
  // The service notices a little later that the client before has gone.
  ToolResult table;
  for (int i = 0; i < 200 && table.output.find("connected  1 now") == std::string::npos; ++i)
    table = run({"devices", "--socket", "socket"});
  for (auto title : {"clients", "models", "running", "memory", "connected  1 now"})
    EXPECT_THAT(table.output, HasSubstr(title));
}

TEST_F(ServedCommands, ServiceWritesItsTrace) {
  auto traced =
      hal::ServiceProcess::start(AVOCETD, path("traced"), {"--trace", path("trace.json")}, path("traced.log"));
  ASSERT_TRUE(traced.isOk()) << traced.status().toString() << read("traced.log");
  ASSERT_EQ(run({"devices", "--socket", "traced"}).exitCode, 0);
  auto how = traced->stop();
  EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << read("traced.log");
  EXPECT_THAT(read("trace.json"), HasSubstr("[NN_LI_PI]service GetStatus"));
  EXPECT_THAT(read("traced.log"), HasSubstr("avocetd info: trace of "));
}

TEST_F(ServedCommands, DevicesCommandFailsWithoutService) {
  ToolResult result = run({"devices", "--socket", "noService"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("start avocetd"));
}

TEST_F(ServedCommands, UnsupportedRunsAreRefusedWithReason) {
  writeCopyModel();
  ToolResult artefacts = run({"run", "model", "--device", "avocet-e256", "--socket", "socket"});
  EXPECT_EQ(artefacts.exitCode, 1);
  EXPECT_THAT(artefacts.errors, HasSubstr("is a directory of artefacts"));
  EXPECT_THAT(artefacts.errors, HasSubstr("give the file that they were compiled from"));
  write("model.mlir", "module {}");
  ToolResult mlir = run({"run", "model.mlir", "--device", "avocet-e256", "--socket", "socket"});
  EXPECT_EQ(mlir.exitCode, 1);
  EXPECT_THAT(mlir.errors, HasSubstr("is no .tflite or .onnx file, but a driver service accepts only these"));
  EXPECT_THAT(mlir.errors, HasSubstr("avocet run model.mlir"));
  write("model.tflite", "rubbish");
  ToolResult unknown = run({"run", "model.tflite", "--device", "avocet-mine", "--socket", "socket"});
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("--target"));
  EXPECT_EQ(run({"run", "missing.tflite", "--device", "avocet-e256", "--socket", "socket"}).exitCode, 1);
}

TEST_F(ServedCommands, OnnxNetworkHasTheSimulatorsResults) {
  std::filesystem::copy_file(AVOCET_SOURCE_DIR "/tests/fuzz/onnx/corpus/conv", path("conv.onnx"));
  const ToolResult served =
      run({"run", "conv.onnx", "--device", "avocet-e256", "--socket", "socket", "-o", "served", "--report", "none"});
  ASSERT_EQ(served.exitCode, 0) << served.errors;
  ASSERT_EQ(run({"run", "conv.onnx", "-o", "here", "--report", "none"}).exitCode, 0);
  EXPECT_FALSE(read("here/out0.bin").empty());
  EXPECT_EQ(read("served/out0.bin"), read("here/out0.bin"));
}

TEST_F(ServedCommands, KnobIsTheDefaultSocket) {
  ::setenv("AVOCET_SOCKET", path("socket").c_str(), 1);
  const std::string digits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";
  ToolResult result = run({"run", digits, "--device", "avocet-e256", "--report", "json"});
  ::unsetenv("AVOCET_SOCKET");
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["service"]["socket"], path("socket"));
}

TEST_F(ServedCommands, ServiceOptionsRequireDevice) {
  write("model.tflite", "rubbish");
  for (std::vector<std::string> extra : {std::vector<std::string>{"--socket", "socket"},
                                         {"--burst"},
                                         {"--priority", "high"},
                                         {"--preference", "low-power"},
                                         {"--deadline", "5"},
                                         {"--device", "avocet-e256", "--mode", "timing"},
                                         {"--device", "avocet-e256", "--burst=fast"},
                                         {"--device", "avocet-e256", "--priority", "urgent"},
                                         {"--device", "avocet-e256", "--preference", "lazy"},
                                         {"--device", "avocet-e256", "--deadline", "0"}}) {
    std::vector<std::string> arguments = {"run", "model.tflite"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_EQ(run(arguments).exitCode, 2) << extra.back();
  }
  ToolResult both = run({"run", "model.tflite", "--device", "avocet-e256", "--burst=queues", "--deadline", "5"});
  EXPECT_EQ(both.exitCode, 1);
  EXPECT_THAT(both.errors, HasSubstr("--burst=calls"));
}

TEST_F(ServedCommands, HelpExplainsTheOptions) {
  ToolResult help = run({"run", "--help"});
  ASSERT_EQ(help.exitCode, 0);
  for (auto option : {"--device", "--socket", "--burst", "--priority", "--deadline", "low|medium|high", "MS",
                      "--preference", "low-power|fast|sustained"})
    EXPECT_THAT(help.output, HasSubstr(option));
}

#ifdef AVOCET_SHARED_DATA
/// Runs of a real network, which is long enough for an impossible deadline.
class ServedRuns : public ServedCommands {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kNetwork))
      GTEST_SKIP() << kNetwork << " is not there";
    ServedCommands::SetUp();
  }
  ToolResult runServed(const std::string &device, const std::vector<std::string> &extra) const {
    std::vector<std::string> arguments = {"run", kNetwork, "--device", device, "--socket", "socket"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return run(arguments);
  }
  static void expectOrdered(const nlohmann::json &spread) {
    EXPECT_GT(spread["least"], 0);
    EXPECT_LE(spread["least"], spread["median"]);
    EXPECT_LE(spread["median"], spread["most"]);
  }

  static constexpr const char *kNetwork = AVOCET_SHARED_DATA "/models/kws_dscnn_int8/model.tflite";
};

TEST_F(ServedRuns, GiveSameBitsAsLocalRuns) {
  for (const char *target : {"e256", "m512"}) {
    ToolResult local = run({"run", kNetwork, "-t", target, "--output-dir", "local", "--report", "json"});
    ASSERT_EQ(local.exitCode, 0) << local.errors;
    ToolResult served =
        runServed(std::string("avocet-") + target, {"--output-dir", "served", "--report", "json", "--repeat", "2"});
    ASSERT_EQ(served.exitCode, 0) << served.errors;
    EXPECT_EQ(read("served/out0.bin"), read("local/out0.bin"));
    nlohmann::json here = nlohmann::json::parse(local.output), there = nlohmann::json::parse(served.output);
    EXPECT_EQ(here["layers"].size(), there["layers"].size());
    EXPECT_EQ(here["cycles"], there["cycles"]) << "no other client uses the device";
    EXPECT_EQ(here["predicted_ms"], there["predicted_ms"]);
    EXPECT_FALSE(here.contains("service"));
    EXPECT_FALSE(there["measured"]);
  }
}

TEST_F(ServedRuns, EveryRequestWayGivesSameBitsAndTimes) {
  nlohmann::json devices = nlohmann::json::parse(run({"devices", "--socket", "socket", "--json"}).output)["devices"];
  std::string outputs;
  for (const auto &[burst, way] : std::map<std::string, std::string>{{"--priority=high", "calls"},
                                                                     {"--burst", "burst of message queues"},
                                                                     {"--burst=queues", "burst of message queues"},
                                                                     {"--burst=calls", "burst of calls"}}) {
    ToolResult served =
        runServed("avocet-e256", {"--output-dir", "served", "--report", "json", "--repeat", "5", burst});
    ASSERT_EQ(served.exitCode, 0) << served.errors;
    if (outputs.empty())
      outputs = read("served/out0.bin");
    EXPECT_EQ(read("served/out0.bin"), outputs) << burst;
    nlohmann::json service = nlohmann::json::parse(served.output)["service"];
    EXPECT_EQ(service["way"], way);
    EXPECT_EQ(service["device"], "avocet-e256");
    EXPECT_EQ(service["version"], devices[0]["version"]);
    EXPECT_EQ(service["priority"], burst == "--priority=high" ? "high" : "medium");
    for (auto time : {"device_ms", "driver_ms", "call_ms"})
      expectOrdered(service[time]);
    EXPECT_LE(service["device_ms"]["least"], service["driver_ms"]["least"]);
  }
}

TEST_F(ServedRuns, PreferenceTradesTimeForEnergy) {
  std::map<std::string, nlohmann::json> reports;
  for (auto preference : {"low-power", "sustained", "fast"}) {
    ToolResult served = runServed("avocet-e256", {"--preference", preference, "--repeat", "3", "--report", "json"});
    ASSERT_EQ(served.exitCode, 0) << served.errors;
    reports[preference] = nlohmann::json::parse(served.output);
    EXPECT_EQ(reports[preference]["service"]["preference"], preference);
    EXPECT_EQ(reports[preference]["cycles"], reports["low-power"]["cycles"]) << "of the level's clock";
  }
  const nlohmann::json low = reports["low-power"], fast = reports["fast"];
  EXPECT_EQ(low["power"]["clock_level"], "low");
  EXPECT_EQ(low["clock_hz"], 200'000'000);
  EXPECT_EQ(reports["sustained"]["power"]["clock_level"], "sustained");
  EXPECT_EQ(fast["power"]["clock_level"], "full");
  EXPECT_NEAR(low["simulated_ms"].get<double>() / fast["simulated_ms"].get<double>(), 2.5, 0.01);
  EXPECT_LT(low["power"]["picojoules"], reports["sustained"]["power"]["picojoules"]);
  EXPECT_LT(reports["sustained"]["power"]["picojoules"], fast["power"]["picojoules"]);
  ToolResult text = runServed("avocet-e256", {"--preference", "low-power"});
  EXPECT_THAT(text.output, HasSubstr("at clock level low"));
  EXPECT_THAT(text.output, HasSubstr("priority medium, preference low-power"));
}

TEST_F(ServedRuns, DevicesShowStateAndEnergy) {
  ASSERT_EQ(runServed("avocet-e256", {"--preference", "sustained", "--repeat", "4"}).exitCode, 0);
  const auto devices = nlohmann::json::parse(run({"devices", "--socket", "socket", "--json"}).output)["devices"];
  const nlohmann::json power = devices[0]["totals"]["power"];
  EXPECT_EQ(power["clock_level"], "sustained");
  EXPECT_GE(power["executions"], 4);
  EXPECT_GT(power["dynamic_picojoules"], 0);
  EXPECT_GT(power["static_picojoules"], 0);
  EXPECT_GT(power["clock_levels"][1]["nanoseconds"], 0);
  EXPECT_EQ(power["clock_levels"][1]["state"], "sustained");
  const ToolResult text = run({"devices", "--socket", "socket"});
  for (auto part : {"run energy", "wake-ups", "sustained"})
    EXPECT_THAT(text.output, HasSubstr(part));
}

TEST_F(ServedRuns, TextShowsFiguresOfHal) {
  ToolResult served = runServed("avocet-m512", {"--repeat", "3", "--deadline", "60000", "--burst"});
  ASSERT_EQ(served.exitCode, 0) << served.errors;
  for (auto part : {"time in ms", "median", "on device", "in driver", "predicted", "service    avocet-m512, version",
                    "runs       3 by burst of calls, priority medium, preference fast, each within", "roofline"})
    EXPECT_THAT(served.output, HasSubstr(part));
  EXPECT_THAT(served.output, Not(HasSubstr("stalls"))) << "stalls are not counted by a service";
}

TEST_F(ServedRuns, MissedDeadlinesAreErrors) {
  ToolResult late = runServed("avocet-e256", {"--deadline", "0.001"});
  EXPECT_EQ(late.exitCode, 1);
  EXPECT_THAT(late.errors, HasSubstr("MISSED_DEADLINE"));
  EXPECT_EQ(late.output, "");
}
#endif

} // namespace
} // namespace avocet::tool::test
