//===- DebugFilesTest.cpp - Tests of --save-temps and reproducers --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"
#include "ToolRunner.h"

#include "avocet/base/File.h"
#include "avocet/firmware_iface/Target.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

const std::string kModel = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

std::string readText(const std::string &path) {
  const auto bytes = readFile(path);
  return bytes ? std::string(bytes->begin(), bytes->end()) : bytes.status().message();
}

/// A directory outside of the working folder.
class TemporaryFolder {
public:
  TemporaryFolder() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_ = testing::TempDir() + "avocet-XXXXXX";
};

class DebugFilesTest : public ToolTest {
protected:
  /// A module of phase place, of which the phase schedule refuses a number.
  void writeWrongModule() {
    ASSERT_EQ(run({"compile", kModel, "--stop-after", "place", "-o", "right.mlir"}).exitCode, 0);
    std::string text = read("right.mlir");
    const std::string number = "output = {zeroPoint = -128}";
    ASSERT_NE(text.find(number), std::string::npos);
    write("wrong.mlir", text.replace(text.find(number), number.size(), "output = {zeroPoint = 1000000}"));
  }

  int runScript(const std::string &name) const { return runProgram(path(name)); }

  /// Runs a script with the tested avocet.
  static int runProgram(const std::string &script) {
    const std::string folder = std::string(AVOCET_TOOL).substr(0, std::string(AVOCET_TOOL).rfind('/'));
    // NOLINTNEXTLINE(bugprone-command-processor): the subject is a shell script
    return std::system(("PATH=" + folder + ":$PATH " + script + " >/dev/null 2>&1").c_str());
  }
};

TEST_F(DebugFilesTest, SaveTempsKeepsEveryPhase) {
  ASSERT_EQ(run({"compile", kModel, "-o", "out", "--save-temps", "temps"}).exitCode, 0);
  for (auto name : {"0-import", "1-nn", "2-place", "3-schedule", "4-allocate", "5-cmd"}) {
    const std::string phase = std::string(name).substr(2);
    EXPECT_EQ(run({"compile", kModel, "--stop-after", phase, "-o", "ir.mlir"}).exitCode, 0);
    EXPECT_EQ(read("temps/" + std::string(name) + ".mlir"), read("ir.mlir")) << name;
  }
  EXPECT_EQ(read("temps/model.avom"), read("out/model.avom"));
  EXPECT_EQ(read("temps/data.avod"), read("out/data.avod"));
  EXPECT_THAT(read("temps/command.txt"), HasSubstr(" compile " + kModel + " -o out --save-temps temps\n"));
  EXPECT_EQ(read("temps/target.toml"), firmware::targetText("e256").value());
  EXPECT_EQ(runScript("temps/reproduce.sh"), 0);
  EXPECT_EQ(read("temps/out/data.avod"), read("out/data.avod"));
}

TEST_F(DebugFilesTest, ObservedCompilationGivesSameBytes) {
  ASSERT_EQ(run({"compile", kModel, "-o", "plain"}).exitCode, 0);
  const ToolResult printed = run({"compile", kModel, "-o", "printed", "--print-ir-after-change"});
  ASSERT_EQ(printed.exitCode, 0);
  EXPECT_EQ(read("plain/model.avom"), read("printed/model.avom"));
  EXPECT_THAT(printed.errors, HasSubstr("// after convert-nn-to-npu, phase place\n"));
  EXPECT_THAT(printed.errors, HasSubstr("// after npu-schedule, phase schedule\n"));
  EXPECT_THAT(printed.errors, testing::Not(HasSubstr("nn-fuse-pad"))) << "changes nothing in this network";
}

TEST_F(DebugFilesTest, FailingPassLeavesReproducerInTemporaryFolder) {
  writeWrongModule();
  const std::vector<std::string> before = listFiles();
  const TemporaryFolder scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  const ToolResult failed = run({"compile", "wrong.mlir", "-o", "out"});
  ::unsetenv("TMPDIR");
  EXPECT_EQ(failed.exitCode, 1);
  const std::string start =
                        "avocet: error: digits_int8.tflite:stem: internal error of the compiler in phase schedule: ",
                    middle = "; report it with the files in ";
  EXPECT_THAT(failed.errors, testing::StartsWith(start));
  EXPECT_THAT(failed.errors, HasSubstr("output.zeroPoint is 1000000"));
  EXPECT_EQ(std::ranges::count(failed.errors, '\n'), 1) << failed.errors;
  EXPECT_EQ(listFiles(), before) << "the working folder stays as it was";
  const size_t at = failed.errors.find(middle + scratch.path() + "/wrong.reproducer-");
  ASSERT_NE(at, std::string::npos) << failed.errors;
  std::string name = failed.errors.substr(at + middle.size());
  name.pop_back(); // the end of the line
  const auto content = [&name](const std::string &file) { return readText(name + "/" + file); };
  EXPECT_EQ(content("wrong.mlir"), read("wrong.mlir"));
  EXPECT_THAT(content("before.mlir"), HasSubstr("zeroPoint = 1000000"));
  EXPECT_THAT(content("diagnostics.txt"), HasSubstr("output.zeroPoint is 1000000"));
  EXPECT_EQ(content("failure.txt"), "npu-schedule failed, phase schedule; the module before it is before.mlir\n");
  EXPECT_NE(runProgram(name + "/reproduce.sh"), 0);
}

TEST_F(DebugFilesTest, IrOfOtherTargetIsRefusedByName) {
  ASSERT_EQ(run({"compile", kModel, "-t", "e256s", "--stop-after", "schedule", "-o", "small.mlir"}).exitCode, 0);
  const ToolResult refused = run({"compile", "small.mlir", "-t", "e256", "-o", "out"});
  EXPECT_EQ(refused.exitCode, 1);
  EXPECT_EQ(refused.errors, "avocet: error: small.mlir: is IR for target 'e256s', but the request names 'e256'; choose "
                            "the target of the IR (-t e256s)\n");
  EXPECT_EQ(listFiles(), std::vector<std::string>{"small.mlir"});
  EXPECT_EQ(run({"compile", "small.mlir", "-o", "out"}).exitCode, 0) << "the IR names its target";
}

TEST_F(DebugFilesTest, RefusedModelLeavesNoReproducer) {
  tflite::ModelT model = longNetwork(3);
  model.operator_codes[1]->builtin_code = tflite::BuiltinOperator::CUSTOM;
  write("refused.tflite", fileOf(model));
  EXPECT_THAT(run({"compile", "refused.tflite", "-o", "out"}).errors, HasSubstr("cannot run on target"));
  write("broken.tflite", "not a model");
  EXPECT_EQ(run({"compile", "broken.tflite", "-o", "out"}).exitCode, 1);
  EXPECT_EQ(listFiles(), (std::vector<std::string>{"broken.tflite", "refused.tflite"}));
}

TEST_F(DebugFilesTest, KnobTurnsReproducersOff) {
  writeWrongModule();
  const std::vector<std::string> before = listFiles();
  ::setenv("AVOCET_REPRODUCERS", "off", 1);
  EXPECT_EQ(run({"compile", "wrong.mlir", "-o", "out"}).exitCode, 1);
  ::unsetenv("AVOCET_REPRODUCERS");
  EXPECT_EQ(listFiles(), before);
}

} // namespace
} // namespace avocet::tool::test
