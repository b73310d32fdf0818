//===- OffsetIntegerTest.cpp - Differences of computed integers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/KnownIntegers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace avocet::compiler {
namespace {

class OffsetIntegerTest : public testing::Test {
protected:
  OffsetIntegerTest() { context_.loadDialect<nn::NnDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>(); }

  /// Element `index` of the last operation as text: "5", "x[1]+3" with an argument as base, or "?[0]+0".
  std::string offset(const std::string &operations, int64_t index = 0) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>("func.func @main(%x: tensor<2xi32>, %s: tensor<i32>) {\n"
                                                      "%a = nn.constant dense<[7, -2]> : tensor<2xi32>\n"
                                                      "%one = nn.constant dense<5> : tensor<1xi32>\n" +
                                                          operations + "\nreturn }",
                                                      &context_);
    EXPECT_TRUE(module_);
    mlir::Block &body = module_->lookupSymbol<mlir::func::FuncOp>("main").front();
    KnownIntegers known;
    const OffsetInteger integer = offsetInteger([&](mlir::Value value) { return known.of(value); },
                                                body.getTerminator()->getPrevNode()->getResult(0), index);
    if (integer.isKnown())
      return std::to_string(integer.offset);
    const std::string base = integer.base == body.getArgument(0)   ? "x"
                             : integer.base == body.getArgument(1) ? "s"
                                                                   : "?";
    return base + "[" + std::to_string(integer.index) + "]+" + std::to_string(integer.offset);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char *kPairs = " : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>";

TEST_F(OffsetIntegerTest, AddsKnownIntegers) {
  EXPECT_EQ(offset(std::string("%r = nn.add %x, %a") + kPairs, 0), "x[0]+7");
  EXPECT_EQ(offset(std::string("%r = nn.add %a, %x") + kPairs, 1), "x[1]+-2");
  EXPECT_EQ(offset(std::string("%r = nn.sub %x, %a") + kPairs, 1), "x[1]+2");
  EXPECT_EQ(offset("%r = nn.add %x, %one : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>", 1), "x[1]+5");
  EXPECT_EQ(offset("%r = nn.add %s, %a : (tensor<i32>, tensor<2xi32>) -> tensor<2xi32>", 1), "s[0]+-2");
}

TEST_F(OffsetIntegerTest, StopsAtOtherArithmetic) {
  EXPECT_EQ(offset(std::string("%r = nn.sub %a, %x") + kPairs), "?[0]+0");
  EXPECT_EQ(offset(std::string("%r = nn.mul %x, %a") + kPairs, 1), "?[1]+0");
  EXPECT_EQ(offset(std::string("%r = nn.add %x, %x") + kPairs, 1), "?[1]+0");
  EXPECT_EQ(offset(std::string("%r = nn.add %x, %a activation relu") + kPairs), "?[0]+0");
}

TEST_F(OffsetIntegerTest, FollowsMovesAndCasts) {
  const std::string list = "%l = nn.reshape %s to [1] : (tensor<i32>) -> tensor<1xi32>\n"
                           "%c = nn.concatenation %one, %l, %x axis 0 : (tensor<1xi32>, tensor<1xi32>, tensor<2xi32>) "
                           "-> tensor<4xi32>\n";
  EXPECT_EQ(offset(list, 0), "5");
  EXPECT_EQ(offset(list, 1), "s[0]+0");
  EXPECT_EQ(offset(list, 3), "x[1]+0");
  const std::string part = "%p = nn.slice %c begin [3] size [2] strides [-2] : (tensor<4xi32>) -> tensor<2xi32>\n";
  EXPECT_EQ(offset(list + part, 0), "x[1]+0");
  EXPECT_EQ(offset(list + part, 1), "s[0]+0");
  EXPECT_EQ(offset("%w = nn.cast %x : (tensor<2xi32>) -> tensor<2xi64>", 1), "x[1]+0");
  EXPECT_EQ(offset("%t = nn.cast %x : (tensor<2xi32>) -> tensor<2xi1>\n"
                   "%w = nn.cast %t : (tensor<2xi1>) -> tensor<2xi32>",
                   1),
            "?[1]+0");
}

} // namespace
} // namespace avocet::compiler
