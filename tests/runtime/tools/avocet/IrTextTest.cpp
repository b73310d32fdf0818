//===- IrTextTest.cpp - IR for reading and IR for going on -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

const std::string kModel = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

class IrTextTest : public ToolTest {
protected:
  std::string irOf(std::vector<std::string> options) {
    options.insert(options.begin(), {"compile", kModel, "--stop-after", "place"});
    const ToolResult result = run(options);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.output;
  }
};

TEST_F(IrTextTest, StandardOutputIsForReading) {
  const std::string readable = irOf({});
  EXPECT_THAT(readable.size(), Lt(100'000u));
  EXPECT_THAT(readable, Not(HasSubstr("#loc")));
  EXPECT_THAT(readable, HasSubstr("npu."));
  const std::string located = irOf({"--locations"});
  EXPECT_THAT(located, HasSubstr("\"stem\"("));
  EXPECT_THAT(located.size(), Lt(200'000u));
  const std::string whole = irOf({"--constants", "all"});
  EXPECT_THAT(whole, HasSubstr("loc("));
  EXPECT_GT(whole.size(), 2 * located.size());
}

TEST_F(IrTextTest, FilesHoldEverything) {
  irOf({"-o", "placed.mlir"});
  EXPECT_EQ(read("placed.mlir"), irOf({"--constants", "all"}));
  irOf({"-o", "short.mlir", "--constants", "elided"});
  EXPECT_EQ(read("short.mlir"), irOf({}));
}

TEST_F(IrTextTest, ShortenedIrCannotGoOn) {
  irOf({"-o", "short.mlir", "--constants", "elided"});
  const ToolResult result = run({"compile", "short.mlir", "-o", "out"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("--constants all"));
}

TEST_F(IrTextTest, ShortenedScalesCannotGoOn) {
  run({"compile", kModel, "--stop-after", "nn", "-o", "short.mlir", "--constants", "elided"});
  EXPECT_THAT(read("short.mlir"), HasSubstr(" more}>"));
  const ToolResult result = run({"compile", "short.mlir", "-o", "out"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("scales of its types are not in the text; write the IR with --constants all"));
}

TEST_F(IrTextTest, WholeTextHoldsAllScales) {
  const ToolResult whole = run({"compile", kModel, "--stop-after", "nn", "-o", "-", "--constants", "all"});
  EXPECT_THAT(whole.output, Not(HasSubstr(" more}>")));
}

TEST_F(IrTextTest, EarlierPhaseOfLaterIrIsRefused) {
  irOf({"-o", "placed.mlir"});
  const ToolResult result = run({"compile", "placed.mlir", "--stop-after", "nn"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("is IR of the phase place, which comes after nn; stop after place or later"));
  EXPECT_EQ(run({"compile", "placed.mlir", "--stop-after", "place"}).exitCode, 0);
}

TEST_F(IrTextTest, BytecodeLeavesNothingOut) {
  EXPECT_EQ(run({"compile", kModel, "--stop-after", "nn", "--bytecode", "--constants", "elided"}).exitCode, 1);
}

TEST_F(IrTextTest, BytecodeGoesOnAsTextDoes) {
  run({"compile", kModel, "--stop-after", "place", "--bytecode", "-o", "placed.mlirbc"});
  run({"compile", kModel, "--stop-after", "place", "-o", "placed.mlir"});
  const ToolResult result = run({"compile", "placed.mlirbc", "-o", "a"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(run({"compile", "placed.mlir", "-o", "b"}).exitCode, 0);
  EXPECT_EQ(read("a/data.avod"), read("b/data.avod"));
}

TEST_F(IrTextTest, DamagedBytecodeIsRefusedByName) {
  run({"compile", kModel, "--stop-after", "place", "--bytecode", "-o", "placed.mlirbc"});
  const std::string whole = read("placed.mlirbc");
  for (size_t size : {size_t{4}, size_t{5}, whole.size() / 2, whole.size() - 1}) {
    write("cut.mlirbc", whole.substr(0, size));
    for (const std::vector<std::string> &command : {std::vector<std::string>{"compile", "cut.mlirbc", "-o", "out"},
                                                    {"run", "cut.mlirbc"},
                                                    {"explain", "cut.mlirbc"}}) {
      const ToolResult result = run(command);
      EXPECT_EQ(result.exitCode, 1) << command[0] << " of " << size << " bytes: " << result.errors;
      EXPECT_THAT(result.errors, HasSubstr("cut.mlirbc")) << command[0] << " of " << size << " bytes";
    }
  }
}

} // namespace
} // namespace avocet::tool::test
