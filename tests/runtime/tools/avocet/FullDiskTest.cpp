//===- FullDiskTest.cpp - avocet when outputs cannot be written ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <filesystem>
#include <fstream>

#include <sched.h>
#include <sys/mount.h>

namespace avocet::tool::test {
namespace {

namespace fs = std::filesystem;

const std::string kModel = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// "disk" is 128 KiB of memory, visible to the test's processes only, and full but for a page.
class FullDiskTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    fs::create_directory(path("disk"));
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=128k") != 0)
      GTEST_SKIP() << "mounts need root";
  }
  void TearDown() override {
    ::umount2(path("disk").c_str(), MNT_DETACH);
    ToolTest::TearDown();
  }

  void fillDisk() const {
    constexpr size_t kPage = 4096;
    std::ofstream(path("disk/filler")) << std::string(size_t{128} << 10, 'x'); // as much as fits
    fs::resize_file(path("disk/filler"), fs::file_size(path("disk/filler")) / kPage * kPage - kPage);
  }
};

TEST_F(FullDiskTest, CutRecordingIsReportedAndRefused) {
  writeCopyModel();
  fillDisk();
  const ToolResult recorded =
      run({"run", "model", "--repeat", "100", "--backend", "recorder:disk/run.avor", "--report", "none"});
  EXPECT_EQ(recorded.exitCode, 1);
  EXPECT_TRUE(contains(recorded.errors, "error: cannot write disk/run.avor: No space left on device"))
      << recorded.errors;
  const ToolResult replayed = run({"replay", "disk/run.avor"});
  EXPECT_EQ(replayed.exitCode, 1);
  EXPECT_TRUE(contains(replayed.errors, "disk/run.avor: was cut after")) << replayed.errors;
  const ToolResult rest = run({"replay", "disk/run.avor", "--cut"});
  EXPECT_EQ(rest.exitCode, 0) << rest.errors;
  EXPECT_TRUE(contains(rest.errors, "warning: disk/run.avor: the recording was cut")) << rest.errors;
}

TEST_F(FullDiskTest, NoCommandLeavesCutFile) {
  fillDisk();
  const std::vector<std::vector<std::string>> commands = {
      {"compile", kModel, "-o", "disk/out"},
      {"compile", kModel, "--stop-after", "nn", "-o", "disk/nn.mlir"},
      {"compile", kModel, "-o", "out", "--save-temps", "disk/temps"},
      {"compile", kModel, "--partition", "disk/parts"},
      {"compile", kModel, "-o", "out", "--remarks", "disk/why.json"},
      {"run", kModel, "--report", "none", "--trace", "disk/trace.json"},
      {"report", kModel, "--without-ir", "-o", "disk/page.html"},
      {"report", kModel, "--without-ir", "--data", "disk/data.json"},
      {"compare", kModel, "--save", "disk/tensors"},
      {"explore", "--models", kModel, "--set", "sram.bytes=1M", "-o", "disk/explored"},
  };
  for (const std::vector<std::string> &command : commands) {
    const ToolResult result = run(command);
    EXPECT_EQ(result.exitCode, 1) << command[0] << " " << command.back();
    EXPECT_TRUE(contains(result.errors, "No space left on device")) << command.back() << ": " << result.errors;
    for (const std::string &name : listFiles())
      EXPECT_FALSE(name.ends_with(".tmp")) << command.back() << " left " << name;
  }
}

TEST_F(FullDiskTest, OlderArtefactsStay) {
  ASSERT_EQ(run({"compile", kModel, "-o", "disk/out"}).exitCode, 0);
  const std::string model = read("disk/out/model.avom"), data = read("disk/out/data.avod");
  fillDisk();
  EXPECT_EQ(run({"compile", kModel, "-t", "m512", "-o", "disk/out"}).exitCode, 1);
  EXPECT_EQ(read("disk/out/model.avom"), model);
  EXPECT_EQ(read("disk/out/data.avod"), data);
  EXPECT_EQ(listFiles(),
            (std::vector<std::string>{"disk", "disk/filler", "disk/out", "disk/out/data.avod", "disk/out/model.avom"}));
}

} // namespace
} // namespace avocet::tool::test
