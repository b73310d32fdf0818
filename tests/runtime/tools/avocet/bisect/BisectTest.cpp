//===- BisectTest.cpp - Tests of avocet bisect -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

/// Two rectifiers, and a minimum that the planted fault makes a maximum.
constexpr const char *kNetwork = R"(
module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
    %0 = nn.add %x, %x : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> loc("sum")
    %1 = nn.clamp relu %0 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> loc("plain")
    %2 = nn.sub %1, %x : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> loc("difference")
    %3 = nn.clamp relu6 %2 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> loc("planted")
    %4 = nn.minimum %3, %x : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> loc("least")
    return %4 : tensor<1x4x4x8xf32>
  }
}
)";

class BisectTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ::setenv("COLUMNS", "1000", /*replace=*/1); // answers are wrapped to the width of the terminal
  }

  /// Of the network, written to a file of this name, with the faulty compiler.
  std::string bisect(const std::string &name, std::vector<std::string> arguments) {
    write(name, kNetwork);
    arguments.insert(arguments.begin(), {"bisect", name, "--compiler", AVOCET_FAULTY_COMPILER});
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.output;
  }

  std::string refusal(const std::vector<std::string> &arguments) {
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 1) << result.output;
    return result.errors;
  }
};

TEST_F(BisectTest, PlantedFaultIsFoundInItsOption) {
  const std::string text = bisect("net.mlir", {"--options"});
  EXPECT_THAT(text, HasSubstr("cause      nn-fuse-activation: off -> on\n           1 of "));
  EXPECT_THAT(text, HasSubstr("differs    output "));
  EXPECT_THAT(text, HasSubstr("tensor 'least': "));
}

TEST_F(BisectTest, PairOfOptionsIsFound) {
  const std::string text = bisect("pair.mlir", {"--options"});
  EXPECT_THAT(text, HasSubstr("cause      nn-fuse-activation: off -> on\n"));
  EXPECT_THAT(text, HasSubstr("cause      optimize: 0 -> 1\n           2 of "));
}

TEST_F(BisectTest, GivenSettingsAreTheEnds) {
  const std::string text = bisect("net.mlir", {"--options", "--good", "nn-fuse-activation=off target=m512 threads=2",
                                               "--bad", "target=p4096 optimize=2"});
  EXPECT_THAT(text, HasSubstr("good       nn-fuse-activation=off target=m512 threads=2\n"));
  EXPECT_THAT(text, HasSubstr("bad        optimize=2 target=p4096\n"));
  EXPECT_THAT(text, HasSubstr("cause      nn-fuse-activation: off -> on\n           1 of 4 settings that differ\n"));
}

TEST_F(BisectTest, PlantedFaultIsFoundInItsRewrite) {
  const std::string text = bisect("net.mlir", {"--passes"});
  EXPECT_THAT(text, HasSubstr(": nn-fuse-activation, phase nn, func.func @main\n"));
  EXPECT_THAT(text, HasSubstr(": FuseActivationPattern\noperator   planted\noperation  "));
  EXPECT_THAT(text, HasSubstr(" = nn.clamp relu6 "));
  EXPECT_THAT(text, HasSubstr("tensor 'least': "));
}

TEST_F(BisectTest, FailureIsFoundInItsRewrite) {
  const std::string text = bisect("fails.mlir", {"--passes"});
  EXPECT_THAT(text, HasSubstr("operator   planted\n"));
  EXPECT_THAT(text, HasSubstr("fails      planted failure\n"));
}

TEST_F(BisectTest, AnswersAreTheSameEveryTime) {
  for (const std::string mode : {"--options", "--passes"})
    EXPECT_EQ(bisect("net.mlir", {mode}), bisect("net.mlir", {mode}));
}

TEST_F(BisectTest, CommandJudgesArtefacts) {
  write("net.mlir", kNetwork);
  ASSERT_EQ(run({"run", "net.mlir", "--report", "none", "--output-dir", "right"}).exitCode, 0);
  const std::string test =
      AVOCET_TOOL " run {} --report none --output-dir found && ! cmp right/out0.bin found/out0.bin";
  EXPECT_THAT(bisect("net.mlir", {"--passes", "--test", test}), HasSubstr("operator   planted\n"));
  EXPECT_THAT(bisect("net.mlir", {"--passes", "--test", "! (" + test + ")", "--exit", "1"}),
              HasSubstr("operator   planted\n"));
}

TEST_F(BisectTest, FirstBadVersionIsFound) {
  write("net.mlir", kNetwork);
  const std::string good = AVOCET_COMPILER_FILE, bad = AVOCET_FAULTY_COMPILER;
  std::vector<std::string> arguments = {"bisect", "net.mlir"};
  for (const std::string &path : {good, good, good, bad, bad})
    arguments.insert(arguments.end(), {"--compiler", path});
  const ToolResult result = run(arguments);
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("last good  3 of 5: " + good + ", version "));
  EXPECT_THAT(result.output, HasSubstr("first bad  4 of 5: " + bad + ", version faulty\n"));
  EXPECT_THAT(result.output, HasSubstr("tensor 'least': "));
}

TEST_F(BisectTest, SettingThatCostsCyclesIsFound) {
  const auto search = [](const std::string &good, const std::string &bad) {
    return std::vector<std::string>{"bisect", kDigits, "--options", "--criterion", "cycles", "--good",
                                    good,     "--bad", bad};
  };
  const ToolResult result = run(search("target=m512 threads=1", "target=e256 threads=2"));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("cause      target: m512 -> e256\n           1 of 2 settings that differ\n"));
  EXPECT_THAT(result.output, testing::ContainsRegex("takes      [0-9,]+ cycles instead of [0-9,]+, \\+[0-9.]+%"));
  EXPECT_THAT(refusal(search("target=e256", "target=m512")),
              HasSubstr("there is nothing to search for: the bad end takes "));
}

TEST_F(BisectTest, EqualEndsAreAnError) {
  EXPECT_THAT(refusal({"bisect", kDigits, "--options"}), HasSubstr("there is nothing to search for"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--passes"}), HasSubstr("there is nothing to search for"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--compiler", AVOCET_COMPILER_FILE, "--compiler", AVOCET_COMPILER_FILE}),
              HasSubstr("there is nothing to search for"));
}

TEST_F(BisectTest, WrongGoodEndIsAnError) {
  ASSERT_EQ(run({"compare", kDigits, "--seed", "2", "--save", "other"}).exitCode, 0);
  EXPECT_THAT(refusal({"bisect", kDigits, "--passes", "--against", "other"}),
              HasSubstr("the good end is wrong, too: output "));
  EXPECT_THAT(refusal({"bisect", kDigits, "--passes", "--seed", "2", "--against", "other"}),
              HasSubstr("there is nothing to search for"));
}

TEST_F(BisectTest, WrongSettingsNameWhatIsAccepted) {
  EXPECT_THAT(refusal({"bisect", kDigits, "--options", "--bad", "nn-fuse-pad=maybe"}),
              HasSubstr("--bad 'nn-fuse-pad=maybe': must be one of target=NAME, optimize=LEVEL, threads=N, "
                        "compiler=FILE, and TRANSFORM=on or off"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--options", "--good", "threads=0"}),
              HasSubstr("threads=0: must be a number"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--options", "--good", "optimize=9"}), HasSubstr("must be a level from 0"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--options", "--bad", "threads=4"}), Not(HasSubstr("must be")));
}

TEST_F(BisectTest, OneKindOfSearchIsNeeded) {
  EXPECT_THAT(refusal({"bisect", kDigits}), HasSubstr("give one of --options, --passes and"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--options", "--passes"}), HasSubstr("give one of --options"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--passes", "--good", "optimize=0"}),
              HasSubstr("are settings for --options"));
  EXPECT_THAT(refusal({"bisect", kDigits, "--compiler", AVOCET_COMPILER_FILE}), HasSubstr("at least two --compiler"));
}

} // namespace
} // namespace avocet::tool::test
