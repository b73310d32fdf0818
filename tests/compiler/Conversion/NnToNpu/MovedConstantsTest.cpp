//===- MovedConstantsTest.cpp - Constants that placement frees ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/UnusedConstants.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// `once` has one reader, which packs it. `twice` is packed by one reader and read as it is by another, before or
/// after.
constexpr const char *kNetwork = R"(
func.func @main(%x: tensor<2x2xf32> {nn.name = "x"}) -> (tensor<2x2xf32> {nn.name = "y"}) {
  %once = nn.constant dense_resource<once> : tensor<2x2xf32>
  %twice = nn.constant dense_resource<twice> : tensor<2x2xf32>
  %0 = nn.fully_connected %x, %once : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.STEP0 %0, %twice : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.STEP1 %1, %twice : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
{-# dialect_resources: { builtin: {
  once: "0x100000000000803F000000400000404000008040",
  twice: "0x100000000000A0400000C0400000E04000000041",
  unused: "0x100000000000A040"
} } #-}
)";

std::string networkWith(std::string_view first, std::string_view second) {
  std::string text = kNetwork;
  text.replace(text.find("STEP0"), 5, first);
  return text.replace(text.find("STEP1"), 5, second);
}

size_t bytesOf(MLIRContext &context, StringRef constant) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(&context).getBlobManager();
  const ConstantEntry *entry = manager.lookup(constant);
  return entry && entry->getBlob() ? entry->getBlob()->getData().size() : 0;
}

struct Network {
  explicit Network(const std::string &text) {
    context.loadDialect<func::FuncDialect, nn::NnDialect, npu::NpuDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
  }

  std::vector<float> run(ConstantContents contents) {
    const TargetPtr target = *firmware::Target::load("e256");
    if (!module || failed(convertNnToNpu(*module, *target, contents)))
      return {};
    const std::array<float, 4> input{1, -2, 3, 4};
    Bytes bytes(sizeof(input));
    std::memcpy(bytes.data(), input.data(), sizeof(input));
    auto outputs = PlacedRunner(*module->getOps<func::FuncOp>().begin(), *target).run({bytes});
    std::vector<float> output(input.size());
    if (!outputs || outputs->front().size() != sizeof(input))
      return {};
    std::memcpy(output.data(), outputs->front().data(), sizeof(input));
    return output;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

class MovedConstantsTest : public ::testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(MovedConstantsTest, FreesPackedAndKeepsOthers) {
  const std::string text = networkWith(GetParam().first, GetParam().second);
  Network written(text), moved(text);
  const std::vector<float> expected = written.run(ConstantContents::Written);
  ASSERT_EQ(expected.size(), 4u);
  EXPECT_EQ(moved.run(ConstantContents::Moved), expected);
  EXPECT_EQ(bytesOf(written.context, "once"), 16u);
  EXPECT_EQ(bytesOf(moved.context, "once"), 0u);
  EXPECT_EQ(bytesOf(moved.context, "twice"), 16u);
}

INSTANTIATE_TEST_SUITE_P(Orders, MovedConstantsTest,
                         ::testing::Values(std::pair("add", "fully_connected"), std::pair("fully_connected", "add")));

TEST(UnusedConstantsTest, FreesThoseWithoutAReference) {
  Network network(networkWith("add", "fully_connected"));
  ASSERT_TRUE(network.module);
  ASSERT_EQ(bytesOf(network.context, "unused"), 4u);
  freeUnusedConstants(*network.module);
  EXPECT_EQ(bytesOf(network.context, "unused"), 0u);
  EXPECT_EQ(bytesOf(network.context, "once"), 16u);
  EXPECT_EQ(network.run(ConstantContents::Moved).size(), 4u);
}

} // namespace
} // namespace avocet::compiler
