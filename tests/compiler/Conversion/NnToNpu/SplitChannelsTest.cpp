//===- SplitChannelsTest.cpp - Convolutions in parts of inner channels ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a network on a target with little memory, where its channels are split, and on one with enough. All numbers are
// small integers, whose sums are exact in any order, so that both must give the same bytes.
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace mlir;

namespace avocet::compiler {
namespace {

TargetPtr targetWith(const char *sramBytes) {
  const TargetPtr whole = *firmware::Target::load("e256");
  const firmware::TargetChange change{"sram.bytes", sramBytes};
  return *firmware::Target::parse(*firmware::changedTargetText(*whole, {&change, 1}, "e256", "small"), "small");
}

/// Small integers as floats.
Bytes randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(static_cast<int32_t>(random() % 7) - 3);
    std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(float));
  }
  return bytes;
}

/// A line that defines the constant %`name` of `shape`, such as "192x1x1x16".
std::string constant(const std::string &name, const std::string &shape, size_t count, uint32_t seed) {
  std::string hex;
  for (uint8_t byte : randomFloats(count, seed))
    for (int digit : {byte >> 4, byte & 15})
      hex += "0123456789ABCDEF"[digit];
  return "  %" + name + " = nn.constant dense<\"0x" + hex + "\"> : tensor<" + shape + "xf32>\n";
}

struct Placed {
  size_t convs = 0, parts = 0;
  std::vector<int64_t> innerChannels; ///< of depthwise convolutions
  Bytes result;
};

Placed placeAndRun(const std::string &text, const Bytes &input, const firmware::Target &target) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(convertNnToNpu(*module, target)) || failed(verify(*module))) {
    ADD_FAILURE() << "not placed";
    return {};
  }
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  Placed placed;
  for (npu::ConvOp conv : function.front().getOps<npu::ConvOp>()) {
    ++placed.convs;
    if (conv.getCommand().kind == firmware::ConvKind::Depthwise)
      placed.innerChannels.push_back(conv.getResult().getType().getDimSize(2));
  }
  placed.parts = llvm::range_size(function.front().getOps<npu::PartOp>());
  Result<std::vector<Bytes>> outputs = PlacedRunner(function, target).run({input});
  EXPECT_TRUE(outputs) << outputs.status().message();
  placed.result = outputs ? outputs->front() : Bytes();
  return placed;
}

/// The network of a case, from %x with 16 channels: the constants that all cases use, and its own lines.
std::string networkOf(const std::string &lines, const std::string &result = "tensor<1x8x8x16xf32>") {
  return "func.func @f(%x: tensor<1x8x8x16xf32>) -> " + result + " {\n" + constant("expand", "200x1x1x16", 3200, 1) +
         constant("bias", "200", 200, 2) + constant("window", "1x3x3x200", 1800, 3) +
         constant("project", "16x1x1x200", 3200, 4) + constant("projectBias", "16", 16, 5) +
         constant("wide", "16x1x2x200", 6400, 6) + lines + "}\n";
}

const std::string kExpand = "  %a = nn.conv_2d %x, %expand, %bias activation relu6 : (tensor<1x8x8x16xf32>, "
                            "tensor<200x1x1x16xf32>, tensor<200xf32>) -> tensor<1x8x8x200xf32>\n";
const std::string kWindow =
    "  %b = nn.depthwise_conv_2d %a, %window, %bias pad [1, 1, 1, 1] : "
    "(tensor<1x8x8x200xf32>, tensor<1x3x3x200xf32>, tensor<200xf32>) -> tensor<1x8x8x200xf32>\n";

std::string project(const std::string &input, const std::string &activation = "") {
  return "  %c = nn.conv_2d %" + input + ", %project, %projectBias " + activation +
         " : (tensor<1x8x8x200xf32>, tensor<16x1x1x200xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>\n";
}

const std::string kAdd = "  %d = nn.add %c, %x activation relu : (tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> "
                         "tensor<1x8x8x16xf32>\n";

std::string returns(const std::string &value) { return "  return %" + value + " : tensor<1x8x8x16xf32>\n"; }

/// Runs on both targets; returns how the network was placed with little memory.
Placed expectSame(const std::string &network) {
  const Bytes input = randomFloats(8 * 8 * 16, 7);
  const Placed whole = placeAndRun(network, input, *targetWith("2M"));
  Placed split = placeAndRun(network, input, *targetWith("32K"));
  EXPECT_FALSE(whole.result.empty());
  EXPECT_EQ(split.result, whole.result);
  EXPECT_LT(whole.convs, split.convs);
  return split;
}

TEST(SplitChannelsTest, ChainRunsInParts) {
  const Placed split = expectSame(networkOf(kExpand + kWindow + project("b", "activation relu6") + returns("c")));
  int64_t channels = 0;
  for (int64_t part : split.innerChannels)
    channels += part;
  EXPECT_EQ(channels, 200);
  EXPECT_EQ(split.convs, 3 * split.innerChannels.size());
}

TEST(SplitChannelsTest, ResidualIsTheFirstSummand) {
  const Placed split = expectSame(networkOf(kExpand + kWindow + project("b") + kAdd + returns("d")));
  EXPECT_EQ(split.convs, 3 * split.innerChannels.size());
}

TEST(SplitChannelsTest, ResidualAfterAClampIsAddedByItself) {
  expectSame(networkOf(kExpand + kWindow + project("b", "activation relu6") + kAdd + returns("d")));
}

TEST(SplitChannelsTest, ChainWithoutDepthwiseRunsInParts) {
  expectSame(networkOf(kExpand + project("a") + returns("c")));
}

TEST(SplitChannelsTest, MapOfAnotherOperationIsReadInParts) {
  const std::string pool = "  %p = nn.max_pool_2d %a kernel [3, 3] pad [1, 1, 1, 1] : (tensor<1x8x8x200xf32>) -> "
                           "tensor<1x8x8x200xf32>\n";
  const std::string wide = "  %c = nn.conv_2d %p, %wide, %projectBias pad [0, 0, 0, 1] : (tensor<1x8x8x200xf32>, "
                           "tensor<16x1x2x200xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>\n";
  EXPECT_GT(expectSame(networkOf(kExpand + pool + wide + returns("c"))).parts, 1u);
}

TEST(SplitChannelsTest, MapWithAnotherReaderStaysWhole) {
  const std::string lines =
      kExpand + kWindow + project("b") + "  return %b, %c : tensor<1x8x8x200xf32>, " + "tensor<1x8x8x16xf32>\n";
  const Placed placed = placeAndRun(networkOf(lines, "(tensor<1x8x8x200xf32>, tensor<1x8x8x16xf32>)"),
                                    randomFloats(8 * 8 * 16, 7), *targetWith("32K"));
  EXPECT_EQ(placed.innerChannels, std::vector<int64_t>{200});
}

} // namespace
} // namespace avocet::compiler
