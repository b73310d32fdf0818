//===- DaemonTest.cpp - Tests of how avocetd ends -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include "avocet/hal/ipc/ServiceProcess.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <thread>

namespace avocet::tool::test {
namespace {

using hal::ServiceProcess;

class DaemonTest : public ToolTest {
protected:
  ServiceProcess start(const std::vector<std::string> &options = {}) {
    auto started = ServiceProcess::start(AVOCETD, path("socket"), options, path("log"));
    EXPECT_TRUE(started.isOk()) << started.status().toString();
    return std::move(started).value();
  }
  /// How the service ended; "runs" if it still runs after a time that is long for an end.
  static std::string endOf(ServiceProcess &service) {
    for (int i = 0; i < 2000; ++i) {
      if (std::optional<std::string> how = service.death())
        return *how;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "runs";
  }
  /// Waits until the service's log has these words, for a while that is long for a line.
  bool logs(const std::string &words) {
    for (int i = 0; i < 2000; ++i) {
      if (read("log").find(words) != std::string::npos)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

class EndingSignalTest : public DaemonTest, public testing::WithParamInterface<int> {};

TEST_P(EndingSignalTest, EndsAndRemovesSocket) {
  ServiceProcess service = start();
  ASSERT_TRUE(std::filesystem::is_socket(path("socket")));
  ::kill(service.pid(), GetParam());
  EXPECT_EQ(endOf(service), "ended with exit code 0");
  EXPECT_FALSE(std::filesystem::exists(path("socket")));
}

INSTANTIATE_TEST_SUITE_P(Signals, EndingSignalTest, testing::Values(SIGHUP, SIGINT, SIGTERM, SIGQUIT));

TEST_F(DaemonTest, IgnoredHangUpKeepsServing) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGHUP, &ignore, &before), 0);
  ServiceProcess service = start(); // inherits the ignored signal, as from nohup
  ::sigaction(SIGHUP, &before, nullptr);
  ::kill(service.pid(), SIGHUP);
  EXPECT_EQ(run({"devices", "--socket", "socket"}).exitCode, 0);
  auto how = service.stop();
  EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << read("log");
}

/// A socket that is there already would be replaced.
TEST_F(DaemonTest, RefusedStartLeavesSocketsAlone) {
  std::ofstream(path("file")) << "no folder";
  for (const std::vector<std::string> &options :
       {std::vector<std::string>{"--cache-dir", path("file")}, {"--dump-models", path("none")}}) {
    {
      ServiceProcess dead = start();
      ::kill(dead.pid(), SIGKILL);
    }
    struct stat before = {}, after = {};
    ASSERT_EQ(::stat(path("socket").c_str(), &before), 0);
    const std::string line = AVOCETD " --socket " + path("socket") + " " + options[0] + " " + options[1];
    // NOLINTNEXTLINE(bugprone-command-processor): redirects the standard error stream
    EXPECT_NE(std::system((line + " 2>" + path("log")).c_str()), 0) << options[0];
    ASSERT_EQ(::stat(path("socket").c_str(), &after), 0) << options[0];
    EXPECT_EQ(before.st_ino, after.st_ino) << options[0];
    std::filesystem::remove(path("socket"));
  }
}

TEST_F(DaemonTest, SignalWritesTraceAndServiceGoesOn) {
  ServiceProcess service = start({"--trace", path("trace.json")});
  ASSERT_EQ(run({"devices", "--socket", "socket"}).exitCode, 0);
  EXPECT_FALSE(std::filesystem::exists(path("trace.json")));
  ::kill(service.pid(), SIGUSR2);
  EXPECT_TRUE(logs("written to " + path("trace.json"))) << read("log");
  EXPECT_THAT(read("trace.json"), testing::HasSubstr("GetStatus"));
  EXPECT_EQ(run({"devices", "--socket", "socket"}).exitCode, 0);
}

TEST_F(DaemonTest, SignalWithoutTraceWarnsAndServiceGoesOn) {
  ServiceProcess service = start();
  ::kill(service.pid(), SIGUSR2);
  EXPECT_TRUE(logs("SIGUSR2: there is no trace; start with --trace FILE")) << read("log");
  EXPECT_EQ(run({"devices", "--socket", "socket"}).exitCode, 0);
}

/// The service is in its sandbox when it writes the files.
TEST_F(DaemonTest, DumpModelsWritesGraphOfEachPreparation) {
  std::filesystem::create_directory(path("dumps"));
  ServiceProcess service = start({"--dump-models", path("dumps")});
  const std::string model = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";
  ToolResult result = run({"run", model, "--device", "avocet-e256", "--socket", "socket"});
  ASSERT_EQ(result.exitCode, 0) << result.errors << read("log");
  const std::string graph = read("dumps/model-00001.dot");
  EXPECT_THAT(graph, testing::StartsWith("// HAL versions that express the model:\n// 1.0: no: "));
  EXPECT_THAT(graph, testing::HasSubstr("\n// 1.3: yes\n"));
  EXPECT_THAT(graph, testing::HasSubstr("\ndigraph \"avocet-e256 model 1\" {\n"));
}

TEST_F(DaemonTest, DumpModelsNeedsExistingFolder) {
  auto started = ServiceProcess::start(AVOCETD, path("socket"), {"--dump-models", path("none")}, path("log"));
  EXPECT_FALSE(started.isOk());
  EXPECT_THAT(read("log"), testing::HasSubstr(path("none") + " is no folder; --dump-models needs an existing one"));
}

TEST_F(DaemonTest, DevicesOfStoppedServiceFail) {
  ServiceProcess service = start();
  ASSERT_EQ(::kill(service.pid(), SIGSTOP), 0);
  ToolResult result = run({"devices", "--socket", "socket", "--timeout", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, testing::HasSubstr("not answered in time"));
  ::kill(service.pid(), SIGCONT);
}

TEST_F(DaemonTest, RefusesCacheThatOthersCanWrite) {
  std::filesystem::create_directory(path("cache"));
  std::filesystem::permissions(path("cache"), std::filesystem::perms::all);
  auto started = ServiceProcess::start(AVOCETD, path("socket"), {"--cache-dir", path("cache")}, path("log"));
  EXPECT_FALSE(started.isOk());
  EXPECT_THAT(read("log"), testing::HasSubstr("cannot use the folder " + path("cache")));
  EXPECT_THAT(read("log"), testing::HasSubstr("chmod go-w"));
  EXPECT_TRUE(std::filesystem::is_empty(path("cache")));
}

TEST_F(DaemonTest, RefusesPathOfRegularFile) {
  write("socket", "data");
  auto started = ServiceProcess::start(AVOCETD, path("socket"), {}, path("log"));
  EXPECT_FALSE(started.isOk());
  EXPECT_THAT(read("log"), testing::HasSubstr("a regular file exists there"));
  EXPECT_EQ(read("socket"), "data");
}

} // namespace
} // namespace avocet::tool::test
