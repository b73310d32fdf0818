//===- DoctorTest.cpp - avocet doctor ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;

/// State, text and advice of each subject.
class DoctorTest : public ToolTest {
protected:
  /// The exit code says whether one of them is bad: in a build of few targets, libraries may be of an older one.
  nlohmann::json examine(std::vector<std::string> options) {
    options.insert(options.begin(), {"doctor", "--json"});
    const ToolResult result = run(options);
    const bool hasBad = result.output.find("\"state\": \"bad\"") != std::string::npos;
    EXPECT_EQ(result.exitCode, hasBad ? 1 : 0) << result.output << result.errors;
    const nlohmann::json document = nlohmann::json::parse(result.output);
    nlohmann::json bySubject;
    for (const nlohmann::json &finding : document["findings"])
      bySubject[finding["subject"].get<std::string>()] = finding;
    return bySubject;
  }
};

TEST_F(DoctorTest, ThisBuildIsGood) {
  const nlohmann::json found = examine({"--socket", path("none"), "--devices", path("none")});
  for (const char *subject : {"avocet", "formats", "compiler", "avocetd", "environment"})
    EXPECT_EQ(found[subject]["state"], "good") << found[subject];
  EXPECT_EQ(found["service"]["state"], "absent");
  EXPECT_THAT(found["service"]["advice"], HasSubstr("avocetd --socket"));
}

TEST_F(DoctorTest, ServicesAndTheirDevicesAreNamed) {
  auto service = hal::ServiceProcess::start(AVOCETD, path("socket"), {"--target", "e256"}, path("log"));
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  const nlohmann::json found = examine({"--socket", path("socket")});
  EXPECT_EQ(found["service"]["state"], "good");
  EXPECT_THAT(found["service"]["found"], HasSubstr("avocet-e256 (available, "));
  service->kill();
  const nlohmann::json dead = examine({"--socket", path("socket")});
  EXPECT_EQ(dead["service"]["state"], "bad");
  EXPECT_THAT(dead["service"]["found"], HasSubstr("start avocetd there"));
}

TEST_F(DoctorTest, ProgramsOfOtherBuildsAreBad) {
  const std::filesystem::path program = std::filesystem::path(AVOCET_TOOL).parent_path() / "avocet-doctor";
  std::filesystem::create_directory(path("bin"));
  std::filesystem::copy_file(program, path("bin/avocet-doctor"));
  write("bin/avocetd", std::string("no ELF avocet \0 avocet 9.8.7 (abc)\0", 36));
  program_ = path("bin/avocet-doctor");
  const ToolResult result = run({"--json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("avocetd is 9.8.7 (abc), this program is"));
  EXPECT_THAT(result.errors, HasSubstr("1 of "));
  EXPECT_THAT(run({}).output, testing::ContainsRegex("compiler +absent"));
}

TEST_F(DoctorTest, AChosenCompilerThatIsNoneIsBad) {
  write("library.so", "no library");
  ::setenv("AVOCET_COMPILER_LIBRARY", path("library.so").c_str(), 1);
  ::setenv("AVOCET_SOKET", "somewhere", 1);
  const ToolResult result = run({"doctor"});
  ::unsetenv("AVOCET_COMPILER_LIBRARY");
  ::unsetenv("AVOCET_SOKET");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, testing::ContainsRegex("AVOCET_SOKET +note"));
  EXPECT_THAT(result.output, testing::ContainsRegex("compiler +bad"));
}

TEST_F(DoctorTest, NodesOfOtherDriversAreLeftOut) {
  std::filesystem::create_directory(path("accel"));
  write("accel/accel0", "a file");
  if (::mknod(path("accel/accel1").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
    GTEST_LOG_(INFO) << "without a node of another driver: " << std::strerror(errno);
  const nlohmann::json found = examine({"--devices", path("accel")});
  EXPECT_FALSE(found.contains(path("accel/accel0"))) << found;
  EXPECT_FALSE(found.contains(path("accel/accel1"))) << found;
  EXPECT_EQ(found["kernel driver"]["state"], "absent");
}

} // namespace
} // namespace avocet::tool::test
