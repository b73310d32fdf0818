//===- IndicesTest.cpp - Runs with indices that are out of range ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

class IndicesTest : public ToolTest {
protected:
  /// `network` has two inputs, of which the first has `elements` bytes, all 0.
  void use(const std::string &network, size_t elements) {
    write("net.mlir",
          "module attributes {avocet.phase = \"import\"} {\n  func.func @main(%x: tensor<" + network + "\n}\n");
    write("table.bin", std::string(elements, '\0'));
  }

  template <typename T>
  ToolResult runWith(const std::vector<T> &indices, const std::string &target, std::vector<std::string> more = {}) {
    write("indices.bin", bytesOf(indices));
    std::vector<std::string> arguments = {"run",     "net.mlir",  "-t",      target,
                                          "--input", "table.bin", "--input", "indices.bin"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  template <typename T>
  void expectRefused(const std::vector<T> &indices, const std::string &target, const std::string &reason) {
    const ToolResult result = runWith(indices, target);
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_THAT(result.errors, HasSubstr("operator 'pick': index " + reason)) << result.errors;
  }
};

const std::string kRows = R"(7x4xi8>, %i: tensor<3xi32>) -> tensor<3x4xi8> {
    %0 = nn.gather %x at %i axis 0 : (tensor<7x4xi8>, tensor<3xi32>) -> tensor<3x4xi8> loc("pick")
    return %0 : tensor<3x4xi8>
  })";

TEST_F(IndicesTest, NamesOperatorIndexAndRange) {
  use(kRows, 28);
  EXPECT_EQ(runWith<int32_t>({0, 6, 3}, "e256").exitCode, 0);
  expectRefused<int32_t>({0, 7, -1}, "e256", "7 is out of range, must be 0 to 6");
  expectRefused<int32_t>({0, 6, -1}, "e256", "-1 is out of range, must be 0 to 6");
}

TEST_F(IndicesTest, TimingAloneReadsNoIndices) {
  use(kRows, 28);
  EXPECT_EQ(runWith<int32_t>({0, 7, -1}, "e256", {"--mode", "timing"}).exitCode, 0);
  EXPECT_EQ(runWith<int32_t>({0, 7, -1}, "e256", {"--mode", "functional"}).exitCode, 1);
}

TEST_F(IndicesTest, RandomIndicesAreOnlyNoted) {
  use(kRows, 28);
  const ToolResult result = run({"run", "net.mlir"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("random inputs: operator 'pick'"));
}

// The table exceeds the SRAM of the target: commands for sections of it see indices of the others.
TEST_F(IndicesTest, SectionsCompareWithWholeTable) {
  use(R"(3000x200xi8>, %i: tensor<4xi32>) -> tensor<4x200xi8> {
    %0 = nn.gather %x at %i axis 0 : (tensor<3000x200xi8>, tensor<4xi32>) -> tensor<4x200xi8> loc("pick")
    return %0 : tensor<4x200xi8>
  })",
      600000);
  EXPECT_EQ(runWith<int32_t>({0, 2999, 1500, 7}, "e256s").exitCode, 0);
  expectRefused<int32_t>({0, 2999, 3000, 7}, "e256s", "3000 is out of range, must be 0 to 2999");
}

TEST_F(IndicesTest, EachAxisHasItsRange) {
  use(R"(3x7x4xi8>, %i: tensor<2x2xi32>) -> tensor<2x4xi8> {
    %0 = nn.gather_nd %x at %i : (tensor<3x7x4xi8>, tensor<2x2xi32>) -> tensor<2x4xi8> loc("pick")
    return %0 : tensor<2x4xi8>
  })",
      84);
  EXPECT_EQ(runWith<int32_t>({2, 6, 0, 0}, "e256").exitCode, 0);
  expectRefused<int32_t>({2, 6, 0, 7}, "e256", "7 is out of range, must be 0 to 6");
  expectRefused<int32_t>({3, 6, 0, 0}, "e256", "3 is out of range, must be 0 to 2");
}

} // namespace
} // namespace avocet::tool::test
