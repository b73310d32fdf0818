//===- PluginTest.cpp - Commands and the service with a plug-in --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace avocet::tool::test {
namespace {

using hal::ServiceProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

class PluginTest : public ToolTest {
protected:
  void TearDown() override {
    ::unsetenv("AVOCET_BACKENDS");
    ToolTest::TearDown();
  }
};

TEST_F(PluginTest, RunsByPathAndByName) {
  writeCopyModel();
  write("in.bin", std::string(kBytes, '7'));
  ::setenv("AVOCET_BACKENDS", AVOCET_MINE_PLUGIN, 1);
  for (const std::string backend : {AVOCET_MINE_PLUGIN, "mine"}) {
    const ToolResult result =
        run({"run", "model", "-i", "in.bin", "-o", "out", "--backend", backend, "--report", "json"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("\"backend\": \"mine\""));
    EXPECT_EQ(read("out/out0.bin"), std::string(kBytes, '7'));
    std::filesystem::remove_all(path("out"));
  }
}

TEST_F(PluginTest, TracesHaveCommandsOfPlugin) {
  writeCopyModel();
  const ToolResult result = run({"run", "model", "--backend", AVOCET_MINE_PLUGIN, "--trace", "trace.json"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(read("trace.json"), HasSubstr("DMA channel 0"));
}

TEST_F(PluginTest, RecordsAndReplays) {
  writeCopyModel();
  EXPECT_EQ(run({"run", "model", "--backend", "recorder:run.avor," AVOCET_MINE_PLUGIN}).exitCode, 0);
  const ToolResult result = run({"replay", "run.avor", "--backend", AVOCET_MINE_PLUGIN});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
}

TEST_F(PluginTest, WrongFileIsRefusedWithItsName) {
  writeCopyModel();
  write("text.so", "no library");
  const ToolResult result = run({"run", "model", "--backend", "./text.so"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("text.so cannot be used as a back end"), HasSubstr("no ELF file")));
}

TEST_F(PluginTest, DoctorNamesPlugins) {
  write("text.so", "no library");
  EXPECT_THAT(run({"doctor", "--wide"}).output, HasSubstr("AVOCET_BACKENDS=PATH"));
  ::setenv("AVOCET_BACKENDS", (AVOCET_MINE_PLUGIN ":" + path("text.so")).c_str(), 1);
  const ToolResult result = run({"doctor", "--wide"});
  EXPECT_EQ(result.exitCode, 1) << "one of them does not work";
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("back end mine"), HasSubstr("The simulator in a library of its own, version 1.0"),
                    HasSubstr("it is no ELF file")));
}

TEST_F(PluginTest, ForeignRightsExcludePathsAndVariables) {
  struct statvfs system = {};
  ASSERT_EQ(::statvfs(directory_.c_str(), &system), 0);
  if (::geteuid() != 0 || (system.f_flag & ST_NOSUID) != 0)
    GTEST_SKIP() << "only root can make programs with the rights of root";
  writeCopyModel();
  std::filesystem::permissions(directory_, std::filesystem::perms(0755));
  std::filesystem::copy_file(AVOCET_TOOL, path("avocet"));
  ASSERT_EQ(::chmod(path("avocet").c_str(), 04755), 0);
  program_ = "/usr/bin/setpriv";
  ::setenv("AVOCET_BACKENDS", AVOCET_MINE_PLUGIN, 1);
  auto errorsWith = [&](const std::string &backend) {
    return run({"--reuid=1234", "--regid=1234", "--clear-groups", path("avocet"), "run", path("model"), "--backend",
                backend})
        .errors;
  };
  EXPECT_THAT(errorsWith(AVOCET_MINE_PLUGIN), HasSubstr("no plug-ins but those that root has listed"));
  EXPECT_THAT(errorsWith("mine"), HasSubstr("there is no back end 'mine'"));
  EXPECT_EQ(errorsWith("sim"), "");
  ::setenv("AVOCET_TARGET", "m512", 1);
  const std::string knobs = run({"--reuid=1234", "--regid=1234", "--clear-groups", path("avocet"), "knobs"}).output;
  ::unsetenv("AVOCET_TARGET");
  EXPECT_THAT(knobs, HasSubstr("AVOCET_TARGET"));
  EXPECT_THAT(knobs, Not(HasSubstr("m512")));
}

/// A service with root's list in the test's folder.
class PluginServiceTest : public PluginTest {
protected:
  void SetUp() override {
    PluginTest::SetUp();
    if (::geteuid() != 0)
      GTEST_SKIP() << "only root can make files of root";
    std::filesystem::permissions(directory_, std::filesystem::perms(0755));
    std::filesystem::copy_file(AVOCET_MINE_PLUGIN, path("mine.so"));
    ASSERT_EQ(::chmod(path("mine.so").c_str(), 0644), 0);
    write("list", path("mine.so") + "\n");
    ASSERT_EQ(::chmod(path("list").c_str(), 0644), 0);
  }

  Result<ServiceProcess> start(const std::string &backend) const {
    return ServiceProcess::start(AVOCETD, path("socket"),
                                 {"--target", "e256", "--backend", backend, "--backends", path("list")}, path("log"));
  }
  /// The messages of a service that does not start.
  std::string refusalOf(const std::string &backend) const {
    EXPECT_FALSE(start(backend).isOk()) << backend;
    return read("log");
  }
};

TEST_F(PluginServiceTest, ServesPluginOfRootsList) {
  Result<ServiceProcess> service = start("mine");
  ASSERT_TRUE(service.isOk()) << service.status().toString() << read("log");
  const ToolResult result =
      run({"run", kDigits, "--device", "avocet-e256", "--socket", path("socket"), "-o", "served"});
  EXPECT_EQ(result.exitCode, 0) << result.errors << read("log");
  EXPECT_EQ(run({"run", kDigits, "-o", "own"}).exitCode, 0);
  EXPECT_EQ(read("served/out0.bin"), read("own/out0.bin"));
  EXPECT_EQ(service->stop().value(), "ended with exit code 0");
  EXPECT_THAT(read("log"), Not(HasSubstr("the sandbox stopped")));
}

TEST_F(PluginServiceTest, PathsAndVariableAreNotUsed) {
  write("list", "# none\n");
  ::setenv("AVOCET_BACKENDS", AVOCET_MINE_PLUGIN, 1);
  EXPECT_THAT(refusalOf("mine"), HasSubstr("there is no back end 'mine'"));
  EXPECT_THAT(refusalOf(AVOCET_MINE_PLUGIN), HasSubstr("no plug-ins but those that root has listed"));
}

TEST_F(PluginServiceTest, ListThatOthersCanChangeEndsService) {
  ASSERT_EQ(::chmod(path("list").c_str(), 0666), 0);
  EXPECT_THAT(refusalOf("mine"), AllOf(HasSubstr("--backends: "), HasSubstr("chmod go-w")));
}

TEST_F(PluginServiceTest, LibraryThatOthersCanChangeIsLeftOut) {
  ASSERT_EQ(::chmod(path("mine.so").c_str(), 0777), 0);
  EXPECT_THAT(refusalOf("mine"), AllOf(HasSubstr("a plug-in is left out"), HasSubstr("no back end 'mine'")));
}

} // namespace
} // namespace avocet::tool::test
