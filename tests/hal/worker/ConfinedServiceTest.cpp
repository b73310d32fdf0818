//===- ConfinedServiceTest.cpp - The shipped service in its sandbox -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCompiler.h"
#include "SmallModels.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// avocetd with a compiler that fails where a model requests it.
class ConfinedServiceTest : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/avocet-confined-XXXXXX";
    folder_ = ::mkdtemp(name);
    start({"--cache-dir", folder_ / "cache", "--blob-cache", "1M"});
  }
  void TearDown() override {
    if (service_) {
      auto how = service_->stop();
      EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << textOf(folder_ / "log");
    }
    EXPECT_THAT(textOf(folder_ / "log"), Not(HasSubstr("the sandbox stopped")));
    std::filesystem::remove_all(folder_);
  }

  void start(const std::vector<std::string> &arguments) {
    service_.reset();
    ::setenv("AVOCET_COMPILER_LIBRARY", AVOCET_FAKE_COMPILER, 1);
    auto started = ServiceProcess::start(AVOCETD, folder_ / "socket", arguments, folder_ / "log");
    ::unsetenv("AVOCET_COMPILER_LIBRARY");
    ASSERT_TRUE(started.isOk()) << started.status().toString() << textOf(folder_ / "log");
    service_.emplace(std::move(*started));
  }
  std::shared_ptr<IDevice> connect() {
    auto device = connectDevice(folder_ / "socket", "avocet-e256");
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return device ? *device : nullptr;
  }
  static std::string textOf(const std::filesystem::path &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// A line of /proc/PID/status of the service.
  std::string status(const std::string &key) const {
    std::istringstream lines(textOf("/proc/" + std::to_string(service_->pid()) + "/status"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(key + ":\t"))
        return line.substr(key.size() + 2);
    return "";
  }
  void expectSum(IDevice &device) {
    auto prepared = device.prepareModel(addModel({4}), {});
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    TestPool inputs{32}, outputs{16};
    std::iota(inputs.as<float>().begin(), inputs.as<float>().end(), 1.0f);
    EXPECT_EQ((*prepared)->execute(requestOf({16, 16}, {16}, inputs, outputs), {}).status, ErrorStatus::None);
    EXPECT_THAT(outputs.as<float>(), ElementsAre(6, 8, 10, 12));
  }

  std::filesystem::path folder_;
  std::optional<ServiceProcess> service_;
};

TEST_F(ConfinedServiceTest, RunsWithFilterAndWithoutNewPrivileges) {
  EXPECT_EQ(status("NoNewPrivs"), "1");
  EXPECT_EQ(status("Seccomp"), "2");
  expectSum(*connect());
}

TEST_F(ConfinedServiceTest, CrashedCompilationFailsOneRequest) {
  auto hostile = connect(), other = connect();
  auto crashed = hostile->prepareModel(addModel({static_cast<uint32_t>(FakeBehavior::Crash)}), {});
  EXPECT_EQ(crashed.code(), ErrorStatus::GeneralFailure);
  expectSum(*other);
  expectSum(*hostile);
  auto totals = readTotals(folder_ / "socket");
  ASSERT_TRUE(totals.isOk());
  EXPECT_EQ(totals->devices[0].compilerCrashes, 1u);
  EXPECT_EQ(totals->devices[0].compilerRestarts, 0u);
}

TEST_F(ConfinedServiceTest, DeadlineEndsEndlessCompilation) {
  PrepareOptions options;
  options.deadline = BootClock::now() + std::chrono::milliseconds(200);
  auto prepared = connect()->prepareModel(addModel({static_cast<uint32_t>(FakeBehavior::Hang)}), options);
  EXPECT_EQ(prepared.code(), ErrorStatus::MissedDeadlineTransient);
  expectSum(*connect());
}

TEST_F(ConfinedServiceTest, RunsWithoutSandboxOnRequest) {
  start({"--no-sandbox", "--compile-in-process"});
  EXPECT_EQ(status("Seccomp"), "0");
  expectSum(*connect());
  EXPECT_THAT(textOf(folder_ / "log"), HasSubstr("without its sandbox"));
}

TEST_F(ConfinedServiceTest, CompilesInProcessInsideTheSandbox) {
  start({"--compile-in-process"});
  EXPECT_EQ(status("Seccomp"), "2");
  expectSum(*connect());
}

TEST_F(ConfinedServiceTest, RootBecomesTheNamedUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  start({"--user", "nobody"});
  EXPECT_THAT(status("Uid"), Not(HasSubstr("0\t0")));
  expectSum(*connect());
}

} // namespace
} // namespace avocet::hal
