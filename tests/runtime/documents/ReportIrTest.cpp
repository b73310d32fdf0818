//===- ReportIrTest.cpp - The text of phases in reports ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrLine.h"
#include "avocet/documents/IrText.h"

#include <gmock/gmock.h>

namespace avocet::documents::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kNetwork = R"(!w = !quant.uniform<i8:f32:0, {0.5,0.25}>
#loc = loc("net.tflite")
module {
  func.func @main(%arg0: tensor<1x8x8x3xi8> {nn.name = "image"} loc("image"(#loc))) -> tensor<1x10xi8> {
    %w = nn.constant dense_resource<blob> : tensor<4x3xi8> loc(#loc1)
    %0 = nn.pad %arg0 : tensor<1x10x10x3xi8> loc(#loc2)
    %1 = nn.conv_2d %0, %w : (tensor<1x10x10x3xi8>, tensor<4x3xi8>) -> tensor<1x8x8x4xi8> loc(#loc3)
    %2:2 = nn.split %1 : (tensor<1x8x8x4xi8>) -> (tensor<1x8x8x2xi8>, tensor<1x8x8x2xi8>) loc(#loc4)
    %3 = nn.add %2#0, %2#1 : tensor<1x8x8x2xi8> loc(#loc5)
    return %3 : tensor<1x8x8x2xi8> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("weights"(#loc))
#loc2 = loc("padding"(#loc))
#loc3 = loc("conv"(#loc))
#loc4 = loc("split"(#loc))
#loc5 = loc(fused[#loc4, "sum"(#loc)])

{-#
  dialect_resources: { builtin: { blob: "0x00010203" } }
#-}
)";

IrText readNetwork() { return readIr("import", kNetwork, indexNames({"conv", "split + sum"})); }

TEST(ReportIrTest, LinesHaveLayersOfTheirNamesAndUsers) {
  const IrText ir = readNetwork();
  EXPECT_THAT(ir.layers, ElementsAre(-1, -1, -1, 0, 0, 0, 1, 1, -1, -1, -1, -1));
}

TEST(ReportIrTest, TextHasNeitherLocationsNorBlobs) {
  const IrText ir = readNetwork();
  EXPECT_THAT(ir.text, Not(HasSubstr("loc(#")));
  EXPECT_THAT(ir.text, Not(HasSubstr("0x00010203")));
  EXPECT_THAT(ir.text, HasSubstr("    %0 = nn.pad %arg0 : tensor<1x10x10x3xi8>\n"));
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(ir.text, '\n')), ir.layers.size());
}

TEST(ReportIrTest, GraphHasOperationsWithoutConstants) {
  const IrText ir = readNetwork();
  std::vector<std::string> operations;
  for (const GraphNode &node : ir.nodes)
    operations.push_back(node.operation + " " + node.name);
  EXPECT_THAT(operations, ElementsAre("input image", "nn.pad padding", "nn.conv_2d conv", "nn.split split",
                                      "nn.add split", "output "));
  EXPECT_THAT(ir.edges, ElementsAre(std::pair(0u, 1u), std::pair(1u, 2u), std::pair(2u, 3u), std::pair(3u, 4u),
                                    std::pair(3u, 4u), std::pair(4u, 5u)));
  EXPECT_EQ(ir.nodes[2].type, "tensor<1x8x8x4xi8>");
}

TEST(ReportIrTest, BuffersOfScheduleHaveLayersOfTheirUsers) {
  const IrText ir = readIr("allocate", R"(npu.program @main attributes {target = "m512"} {
  %in = npu.buffer input 8 at 0
  %a = npu.buffer sram 8 "a" at 64
  %b = npu.buffer sram 8 "b" at 72
  npu.dma %in, %a {runBytes = 8} channel 1
  npu.tile_conv %a, %a {} layer 3
  npu.tile_dsp %a, %b {} layer 4
}
)",
                           {});
  EXPECT_THAT(ir.layers, ElementsAre(-1, -1, 3, 4, -1, 3, 4, -1));
  EXPECT_THAT(ir.nodes, IsEmpty()); // steps are no operations on tensors
}

TEST(ReportIrTest, StreamsBeginAfterTheirLine) {
  const IrText ir = readIr("cmd", "module {\n  cmd.stream dma 1 {\n    cmd.wait {semaphore = 1} layer 2\n  }\n}\n", {});
  ASSERT_EQ(ir.streams.size(), 1u);
  EXPECT_EQ(ir.streams[0].engine, "dma");
  EXPECT_EQ(ir.streams[0].index, 1u);
  EXPECT_EQ(ir.streams[0].firstLine, 2u);
  EXPECT_EQ(ir.layers[2], 2);
}

TEST(ReportIrTest, AcceptsAnyText) {
  for (std::string_view text :
       {"", "\n", "\"", "%", "% = ", " loc(", "#loc1 = loc(#loc1)\n  nn.a loc(#loc1)", "dense<[", "array<", "{1",
        "func.func", "cmd.stream", "layer = x", "%a:2 = \"nn.x\"(%a#1)"})
    EXPECT_EQ(readIr("nn", text, {}).phase, "nn") << text;
}

TEST(ReportIrLineTest, LongConstantsAreCut) {
  const std::string digits(1000, '7');
  EXPECT_EQ(cutConstants("a \"" + std::string(40, 'x') + "\" b"), "a \"" + std::string(40, 'x') + "\" b");
  EXPECT_LT(cutConstants("%0 = nn.constant dense<\"0x" + digits + "\">").size(), 60u);
  EXPECT_LT(cutConstants("dense<[" + digits + "]> : tensor<9xi8>").size(), 90u);
  EXPECT_THAT(cutConstants("!w = !quant.uniform<i8:f32:0, {0." + digits + "}>"), HasSubstr("...}>"));
}

TEST(ReportIrLineTest, LocationsGiveTensorNamesWithoutFiles) {
  LocationNames names;
  EXPECT_TRUE(names.addAlias("#loc1 = loc(\"a\"(#loc))"));
  EXPECT_TRUE(names.addAlias("#loc2 = loc(fused[#loc1, \"b\"(\"net.mlir\":3:4)])"));
  EXPECT_TRUE(names.addAlias("#loc3 = loc(#loc3)"));
  EXPECT_FALSE(names.addAlias("  nn.a loc(#loc1)"));
  EXPECT_THAT(names.namesIn("#loc2"), ElementsAre("a", "b"));
  EXPECT_THAT(names.namesIn("\"net.mlir\":3:4"), IsEmpty());
  EXPECT_THAT(names.namesIn("#loc3"), IsEmpty());
}

} // namespace
} // namespace avocet::documents::test
