//===- OutputPathTest.cpp - avocet with devices as output paths ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <filesystem>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace avocet::tool::test {
namespace {

namespace fs = std::filesystem;

/// Every test has private copies of the null device ("null") and of the device that is always full ("full").
class OutputPathTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    if (::mknod(path("null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
        ::mknod(path("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0)
      GTEST_SKIP() << "device nodes need root";
    writeCopyModel();
  }

  /// Appends the output path to the arguments, or to the last of them if that ends in ':'.
  ToolResult runWithOutput(std::vector<std::string> arguments, const std::string &output) const {
    if (arguments.back().ends_with(':'))
      arguments.back() += output;
    else
      arguments.push_back(output);
    return run(arguments);
  }
};

const std::vector<std::vector<std::string>> &outputOptions() {
  static const std::string digits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";
  static const std::vector<std::vector<std::string>> options = {
      {"compile", digits, "--stop-after", "nn", "-o"},
      {"run", "model", "--trace"},
      {"run", "model", "--backend", "recorder:"},
  };
  return options;
}

TEST_F(OutputPathTest, NullDeviceStaysDevice) {
  for (const std::vector<std::string> &arguments : outputOptions()) {
    ToolResult result = runWithOutput(arguments, "null");
    EXPECT_EQ(result.exitCode, 0) << arguments[0] << ": " << result.errors;
    EXPECT_TRUE(fs::is_character_file(path("null"))) << arguments[0];
  }
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"full", "model", "model/data.avod", "model/model.avom", "null"}));
}

TEST_F(OutputPathTest, FullDeviceIsAnError) {
  for (const std::vector<std::string> &arguments : outputOptions()) {
    ToolResult result = runWithOutput(arguments, "full");
    EXPECT_EQ(result.exitCode, 1) << arguments[0];
    EXPECT_NE(result.errors.find("cannot write full: No space left on device"), std::string::npos) << result.errors;
    EXPECT_TRUE(fs::is_character_file(path("full"))) << arguments[0];
  }
}

TEST_F(OutputPathTest, DeviceAtOutputPathIsWrittenInPlace) {
  fs::create_directory(path("results"));
  fs::rename(path("full"), path("results/out0.bin"));
  EXPECT_EQ(run({"run", "model", "--output-dir", "results"}).exitCode, 1);
  EXPECT_TRUE(fs::is_character_file(path("results/out0.bin")));
  fs::remove(path("results/out0.bin"));
  fs::rename(path("null"), path("results/out0.bin"));
  EXPECT_EQ(run({"run", "model", "--output-dir", "results"}).exitCode, 0);
  EXPECT_TRUE(fs::is_character_file(path("results/out0.bin")));
}

TEST_F(OutputPathTest, ArtefactsDoNotReplaceDevices) {
  const std::string &digits = outputOptions()[0][1];
  for (auto name : {"out/model.avom", "out/data.avod"}) {
    fs::create_directory(path("out"));
    fs::rename(path("null"), path(name));
    ToolResult result = run({"compile", digits, "-o", "out"});
    EXPECT_EQ(result.exitCode, 1) << name;
    EXPECT_NE(result.errors.find(name), std::string::npos) << result.errors;
    ASSERT_TRUE(fs::is_character_file(path(name)));
    fs::rename(path(name), path("null"));
    EXPECT_TRUE(fs::remove(path("out"))) << "something else was left there";
  }
}

} // namespace
} // namespace avocet::tool::test
