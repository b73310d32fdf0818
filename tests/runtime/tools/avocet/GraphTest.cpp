//===- GraphTest.cpp - Tests of avocet graph ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "VectorBuilder.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using namespace hal::conformance;
using hal::OperandType;
using testing::HasSubstr;

/// A file with one RELU of relaxed float32 (HAL 1.0 without the relaxation), and one with a RELU of float16 (1.2) too.
class GraphTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    writeFileOf("old.nntv", false);
    writeFileOf("both.nntv", true);
  }

private:
  void writeFileOf(const std::string &name, bool withFloat16) {
    std::vector<vectors::CaseT> cases;
    cases.push_back(
        identityCase("relaxed", OperandType::TensorFloat32, bytesOf<float>({1, 2}), vectors::Kind::General));
    cases[0].relaxed = true;
    if (withFloat16)
      cases.push_back(
          identityCase("half", OperandType::TensorFloat16, bytesOf<uint16_t>({0, 0}), vectors::Kind::General));
    const Bytes bytes = pack(std::move(cases));
    write(name, std::string(bytes.begin(), bytes.end()));
  }
};

TEST_F(GraphTest, PrintsOnlyModelOfFile) {
  const ToolResult result = run({"graph", "old.nntv"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, testing::StartsWith("digraph \""));
  EXPECT_THAT(result.output, HasSubstr("main_n0 [label=\"0: RELU\"]"));
  EXPECT_THAT(result.output, testing::EndsWith("}\n"));
}

TEST_F(GraphTest, SeveralModelsNeedChoice) {
  const ToolResult result = run({"graph", "both.nntv"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("both.nntv holds 2 models of this name; choose one with --case NAME ('"));
}

TEST_F(GraphTest, CaseSelectsModelForFile) {
  const ToolResult result = run({"graph", "both.nntv", "--case", "half", "-o", "half.dot"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(read("half.dot"), HasSubstr("TENSOR_FLOAT16 [2]"));
  EXPECT_THAT(run({"graph", "both.nntv", "--case", "nothing"}).errors, HasSubstr("has 'nothing' in its name"));
}

TEST_F(GraphTest, ConversionNamesWhatIsDropped) {
  const ToolResult result = run({"graph", "old.nntv", "--hal", "1.0"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("digraph"));
  EXPECT_THAT(result.errors, HasSubstr("which drops: relaxed float\n"));
}

TEST_F(GraphTest, ConversionToTooOldVersionFails) {
  const ToolResult result = run({"graph", "both.nntv", "--case", "half", "--hal", "1.1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("operation 0 (RELU) needs version 1.2, cannot be expressed in 1.1"));
}

TEST_F(GraphTest, CheckOfOneModelListsAllVersions) {
  const ToolResult result = run({"graph", "old.nntv", "--check"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\n1.0: yes, without relaxed float\n1.1: yes\n"));
  EXPECT_THAT(result.output, HasSubstr("\nAIDL v4: yes\n"));
}

TEST_F(GraphTest, VersionCheckFailsForOneOfTwoModels) {
  const ToolResult all = run({"graph", "both.nntv", "--check"});
  EXPECT_EQ(all.exitCode, 0) << all.errors;
  EXPECT_THAT(all.output, HasSubstr("1.2"));
  EXPECT_EQ(run({"graph", "both.nntv", "--check", "--hal", "1.2"}).exitCode, 0);
  const ToolResult old = run({"graph", "both.nntv", "--check", "--hal", "1.1"});
  EXPECT_EQ(old.exitCode, 1);
  EXPECT_THAT(old.output, HasSubstr("no: operation 0 (RELU) needs version 1.2"));
  EXPECT_THAT(old.errors, HasSubstr("1 of 2 models cannot be expressed in version 1.1"));
}

TEST_F(GraphTest, UnknownVersionListsChoices) {
  const ToolResult result = run({"graph", "old.nntv", "--hal", "2.0"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.errors, HasSubstr("must be one of: 1.0, 1.1, 1.2, 1.3, aidl1, aidl2, aidl3, aidl4"));
}

} // namespace
} // namespace avocet::tool::test
