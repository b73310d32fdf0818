//===- IrReduceTest.cpp - Tests of avocet reduce with IR -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/";

class IrReduceTest : public ToolTest {};

/// Of the IR after import and after placement, one operation stays.
TEST_F(IrReduceTest, ShrinksModules) {
  for (std::string phase :
       kHasSanitizer ? std::vector<std::string>{"place"} : std::vector<std::string>{"import", "place"}) {
    ASSERT_EQ(run({"compile", kDigits + "digits_int8.tflite", "--stop-after", phase, "-o", phase + ".mlir"}).exitCode,
              0);
    const std::string test = AVOCET_TOOL " compile {} --stop-after schedule -o - 2>/dev/null | grep -q npu.tile_dsp";
    const ToolResult result = run({"reduce", phase + ".mlir", "--test", test, "-o", "small"});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    const std::string small = read("small");
    EXPECT_LT(small.size(), 3000u);
    EXPECT_THAT(small, phase == "import" ? HasSubstr("nn.softmax") : HasSubstr("npu.dsp"));
    EXPECT_THAT(small, testing::Not(HasSubstr("conv")));
  }
}

/// The phases from schedule on have no functions.
TEST_F(IrReduceTest, ShrinksPrograms) {
  for (auto [phase, operation] : {std::pair("schedule", "npu.tile_dsp"), {"cmd", "cmd.dsp"}}) {
    ASSERT_EQ(run({"compile", kDigits + "digits_int8.tflite", "--stop-after", phase, "-o", "ir.mlir"}).exitCode, 0);
    const std::string test = std::string("grep -q ") + operation + " {}";
    const ToolResult result = run({"reduce", "ir.mlir", "--test", test, "-o", "small"});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    const std::string small = read("small");
    EXPECT_LT(small.size(), read("ir.mlir").size() / 10) << small;
    EXPECT_THAT(small, testing::Not(HasSubstr("conv "))) << phase;
  }
}

TEST_F(IrReduceTest, CommandThatFailsForModuleIsError) {
  write("x.mlir", "module {}");
  const ToolResult result = run({"reduce", "x.mlir", "--test", "grep nothing {}"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("ended with exit code 1 for x.mlir"));
}

} // namespace
} // namespace avocet::tool::test
