//===- LayerTableTest.cpp - The layers that hints name ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Hints/LayerTable.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using testing::HasSubstr;

/// Two sections. A pool of the second one has absorbed the operator "pad".
constexpr const char *kModule = R"(
func.func @main(%x: tensor<4x4x8xi8>) -> tensor<4x4x8xi8>
    attributes {npu.layers = [{name = "net/a/relu;net/a/conv"}, {name = "net/ab/relu;net/a/conv"}]} {
  return %x : tensor<4x4x8xi8>
}
func.func @then(%x: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{name = "net/c/pool"}, {name = ""}]} {
  %0 = npu.pool %x {window = {}, clamp = {min = -128, max = 127}} layer 0 : tensor<4x4x8xi8> -> tensor<4x4x8xi8> loc(fused["net/c/pool", "pad"])
  return %0 : tensor<4x4x8xi8>
}
)";

class LayerTableTest : public testing::Test {
protected:
  LayerTableTest() {
    context_.loadDialect<mlir::func::FuncDialect, npu::NpuDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context_);
    table_ = LayerTable(*module_);
  }

  LayerTable::Found find(const std::string &name) const { return table_.find({name, {}, {}, 0}); }
  uint32_t layerOf(const std::string &name) const {
    EXPECT_EQ(find(name).error, "");
    return find(name).layer;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  LayerTable table_;
};

TEST_F(LayerTableTest, NamesBeforeParts) {
  EXPECT_EQ(layerOf("net/a/relu;net/a/conv"), 0u);
  EXPECT_EQ(layerOf("net/a/relu"), 0u) << "the first of several names";
  EXPECT_EQ(layerOf("ab/relu"), 1u) << "a part";
  EXPECT_EQ(layerOf("net/c/pool"), 2u);
}

TEST_F(LayerTableTest, FusedOperatorMeansItsLayer) { EXPECT_EQ(layerOf("pad"), 2u); }

TEST_F(LayerTableTest, NumbersCountAllSections) {
  EXPECT_EQ(table_.find({"", 3, {}, 0}).layer, 3u);
  EXPECT_EQ(table_.sectionOf(1), "main");
  EXPECT_EQ(table_.sectionOf(2), "then");
  EXPECT_EQ(table_.firstLayerOf("then"), 2u);
  EXPECT_THAT(table_.find({"", 4, {}, 0}).error, HasSubstr("layers 0 to 3"));
}

TEST_F(LayerTableTest, AmbiguousAndUnknownNamesAreErrors) {
  EXPECT_THAT(find("relu").error, HasSubstr("layers 0 'net/a/relu', 1 'net/ab/relu'; give the number"));
  EXPECT_THAT(find("conv7").error, HasSubstr("no operator is called 'conv7'"));
}

TEST_F(LayerTableTest, EveryLayerHasAReference) {
  for (uint32_t layer = 0; layer < 4; ++layer)
    EXPECT_EQ(table_.find(table_.refTo(layer)).layer, layer);
  EXPECT_EQ(table_.refTo(0).name, "a/relu") << "as in reports";
  EXPECT_EQ(table_.refTo(3).number, 3u) << "it has no name";
}

} // namespace
} // namespace avocet::compiler::schedule
