//===- ProgramCommandsTest.cpp - Subcommands that are programs ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A copy of the program in a folder of its own, and another folder as PATH.
class ProgramCommandsTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    directory_ = std::filesystem::canonical(directory_).string(); // as /proc/self/exe names it
    std::filesystem::create_directory(path("bin"));
    std::filesystem::create_directory(path("other"));
    std::filesystem::copy_file(program_, path("bin/avocet"));
    program_ = path("bin/avocet");
    oldPath_ = ::getenv("PATH");
    ::setenv("PATH", path("other").c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", oldPath_.c_str(), 1);
    ToolTest::TearDown();
  }

  void writeScript(const std::string &name, const std::string &lines) {
    write(name, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }

  std::string oldPath_;
};

TEST_F(ProgramCommandsTest, MissingProgramIsNamed) {
  for (const std::string name : {"conformance", "random"}) {
    const ToolResult result = run({name, "--help"});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "avocet: error: 'avocet " + name + "' is the program avocet-" + name +
                                 ", which is neither in " + path("bin") +
                                 " nor on PATH; install Avocet's component Validation (cmake --install BUILD "
                                 "--component Validation), or build the target avocet-" +
                                 name + " beside this program\n");
  }
}

TEST_F(ProgramCommandsTest, ProgramGetsArgumentsAndReturnsItsCode) {
  writeScript("other/avocet-random", "for word; do echo \"[$word]\"; done; exit 7");
  const ToolResult result = run({"random", "--seed", "a b", "--help", ""});
  EXPECT_EQ(result.exitCode, 7);
  EXPECT_EQ(result.output, "[--seed]\n[a b]\n[--help]\n[]\n");
  EXPECT_EQ(result.errors, "");
}

TEST_F(ProgramCommandsTest, ProgramBesideComesBeforePath) {
  writeScript("other/avocet-random", "echo other");
  writeScript("bin/avocet-random", "echo beside");
  EXPECT_EQ(run({"random"}).output, "beside\n");
}

TEST_F(ProgramCommandsTest, OnlyRemoteRunsNeedAnotherProgram) {
  writeScript("bin/avocet-run", "echo \"$*\"");
  EXPECT_EQ(run({"run", "net", "--device", "npu"}).output, "net --device npu\n");
  EXPECT_EQ(run({"run", "--through=nnapi", "net"}).output, "--through=nnapi net\n");
  EXPECT_THAT(run({"run", path("net.tflite"), "--report", "none"}).errors, HasSubstr("net.tflite"));
  EXPECT_THAT(run({"run", "--help"}).output, HasSubstr("--through"));
}

TEST_F(ProgramCommandsTest, SignalOfProgramEndsCommand) {
  writeScript("bin/avocet-conformance", "kill -KILL $$");
  EXPECT_EQ(run({"conformance", "x"}).exitCode, -1);
}

TEST_F(ProgramCommandsTest, ProgramThatCannotStartIsAnError) {
  write("bin/avocet-random", "#!/bin/sh\n");
  std::filesystem::permissions(path("bin/avocet-random"), std::filesystem::perms::owner_read);
  const ToolResult result = run({"random"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("avocet: error: cannot start " + path("bin/avocet-random") + ": "));
}

TEST_F(ProgramCommandsTest, CompletionAsksInstalledPrograms) {
  writeScript("bin/avocet-random", R"(echo '{"name": "random", "description": "d", "footer": "", "arguments": [],
    "options": [{"names": ["--pace"], "value": "", "choices": [], "help": "h", "group": "g", "isRequired": false}]}')");
  writeScript("bin/avocet-conformance", "echo nonsense --fast");
  const std::string script = run({"completion", "bash"}).output;
  EXPECT_THAT(script, HasSubstr("    random)\n      options=\"--pace\""));
  EXPECT_THAT(script, HasSubstr("    conformance)\n"));
  EXPECT_THAT(script, Not(HasSubstr("--fast")));
}

} // namespace
} // namespace avocet::tool::test
