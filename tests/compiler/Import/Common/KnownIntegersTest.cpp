//===- KnownIntegersTest.cpp - Integers that need no device -----*- C++ -*-===//
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

#include <gmock/gmock.h>

#include <map>

namespace avocet::compiler {
namespace {

using testing::ElementsAre;
using testing::Optional;

class KnownIntegersTest : public testing::Test {
protected:
  KnownIntegersTest() { context_.loadDialect<nn::NnDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>(); }

  /// The elements of the last operation of a function with %x : tensor<2xi32>, if they are known.
  std::optional<std::vector<int64_t>> known(const std::string &operations, bool isStopped = false) {
    module_ =
        mlir::parseSourceString<mlir::ModuleOp>("func.func @main(%x: tensor<2xi32>) {\n"
                                                "%a = nn.constant dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi32>\n"
                                                "%b = nn.constant dense<[10, -2, 7]> : tensor<3xi32>\n"
                                                "%t = nn.constant dense<[true, false]> : tensor<2xi1>\n"
                                                "%u = nn.constant dense<[true, true]> : tensor<2xi1>\n" +
                                                    operations + "\nreturn }",
                                                &context_);
    EXPECT_TRUE(module_);
    mlir::Block &body = module_->lookupSymbol<mlir::func::FuncOp>("main").front();
    KnownIntegers known;
    if (isStopped)
      known.stop();
    const Integers *integers = known.of(body.getTerminator()->getPrevNode()->getResult(0));
    return integers ? std::optional(std::vector<int64_t>(integers->begin(), integers->end())) : std::nullopt;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char *kRows = " : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>";
constexpr const char *kTruths = " : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>";

TEST_F(KnownIntegersTest, BroadcastsArithmetic) {
  EXPECT_THAT(known(std::string("%r = nn.add %a, %b") + kRows), Optional(ElementsAre(11, -4, 10, 14, 3, 1)));
  EXPECT_THAT(known(std::string("%r = nn.sub %a, %b") + kRows), Optional(ElementsAre(-9, 0, -4, -6, 7, -13)));
  EXPECT_THAT(known(std::string("%r = nn.mul %a, %b") + kRows), Optional(ElementsAre(10, 4, 21, 40, -10, -42)));
  EXPECT_THAT(known(std::string("%r = nn.minimum %a, %b") + kRows), Optional(ElementsAre(1, -2, 3, 4, -2, -6)));
  EXPECT_THAT(known(std::string("%r = nn.maximum %a, %b") + kRows), Optional(ElementsAre(10, -2, 7, 10, 5, 7)));
}

TEST_F(KnownIntegersTest, ArithmeticWrapsAsOnDevice) {
  EXPECT_THAT(known("%m = nn.constant dense<2147483647> : tensor<1xi32>\n"
                    "%r = nn.add %m, %m : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>"),
              Optional(ElementsAre(-2)));
}

TEST_F(KnownIntegersTest, ComparesAndCombinesTruths) {
  for (const auto &[kind, expected] :
       std::map<std::string, std::vector<int64_t>>{{"equal", {0, 1, 0, 0, 0, 0}},
                                                   {"not_equal", {1, 0, 1, 1, 1, 1}},
                                                   {"less", {1, 0, 1, 1, 0, 1}},
                                                   {"less_equal", {1, 1, 1, 1, 0, 1}},
                                                   {"greater", {0, 0, 0, 0, 1, 0}},
                                                   {"greater_equal", {0, 1, 0, 0, 1, 0}}}) {
    EXPECT_EQ(known("%r = nn.compare " + kind + " %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi1>"),
              expected)
        << kind;
  }
  EXPECT_THAT(known(std::string("%r = nn.logical and %t, %u") + kTruths), Optional(ElementsAre(1, 0)));
  EXPECT_THAT(known(std::string("%r = nn.logical or %t, %u") + kTruths), Optional(ElementsAre(1, 1)));
}

TEST_F(KnownIntegersTest, MovesElements) {
  EXPECT_THAT(
      known("%r = nn.slice %a begin [1, 2] size [2, 2] strides [-1, -2] : (tensor<2x3xi32>) -> tensor<2x2xi32>"),
      Optional(ElementsAre(-6, 4, 3, 1)));
  EXPECT_THAT(known("%s = nn.slice %a begin [0, 1] size [2, 1] strides [1, 1] : (tensor<2x3xi32>) -> tensor<2x1xi32>\n"
                    "%r = nn.concatenation %s, %a axis 1 : (tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<2x4xi32>"),
              Optional(ElementsAre(-2, 1, -2, 3, 5, 4, 5, -6)));
  EXPECT_THAT(known("%r = nn.reshape %b to [3, 1] : (tensor<3xi32>) -> tensor<3x1xi32>"),
              Optional(ElementsAre(10, -2, 7)));
}

TEST_F(KnownIntegersTest, ReducesGathersAndConverts) {
  auto reduced = [&](const std::string &kind) {
    return known("%r = nn.reduce " + kind + " %b axes [0] : (tensor<3xi32>) -> tensor<i32>");
  };
  EXPECT_THAT(reduced("sum"), Optional(ElementsAre(15)));
  EXPECT_THAT(reduced("prod"), Optional(ElementsAre(-140)));
  EXPECT_THAT(reduced("max"), Optional(ElementsAre(10)));
  EXPECT_THAT(reduced("min"), Optional(ElementsAre(-2)));
  EXPECT_THAT(known("%i = nn.constant dense<[2, 0]> : tensor<2xi32>\n"
                    "%r = nn.gather %b at %i axis 0 : (tensor<3xi32>, tensor<2xi32>) -> tensor<2xi32>"),
              Optional(ElementsAre(7, 10)));
  EXPECT_THAT(known("%i = nn.constant dense<[4294967297, -1]> : tensor<2xi64>\n"
                    "%r = nn.cast %i wraps : (tensor<2xi64>) -> tensor<2xi32>"),
              Optional(ElementsAre(1, -1)));
}

TEST_F(KnownIntegersTest, ArgumentsActivationsAndManyElementsAreUnknown) {
  EXPECT_EQ(known("%r = nn.add %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>"), std::nullopt);
  EXPECT_EQ(known("%r = nn.constant dense<1> : tensor<1025xi32>"), std::nullopt);
  EXPECT_NE(known("%r = nn.constant dense<1> : tensor<1024xi32>"), std::nullopt);
  EXPECT_EQ(known("%r = nn.constant dense<1> : tensor<3xi32>", /*isStopped=*/true), std::nullopt);
}

TEST_F(KnownIntegersTest, LongChainNeedsAnswersOnTheWay) {
  constexpr int kChain = 100000;
  mlir::OpBuilder builder(&context_);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto type = mlir::RankedTensorType::get({1}, builder.getI32Type());
  KnownIntegers onTheWay;
  mlir::Value one =
      nn::ConstantOp::create(builder, builder.getUnknownLoc(), type, mlir::DenseElementsAttr::get(type, int32_t(1)));
  mlir::Value sum = one;
  for (int step = 1; step < kChain; ++step) {
    sum = nn::AddOp::create(builder, builder.getUnknownLoc(), type, sum, one);
    ASSERT_NE(onTheWay.of(sum), nullptr);
  }
  EXPECT_THAT(*onTheWay.of(sum), ElementsAre(kChain));
  KnownIntegers atTheEnd;
  EXPECT_EQ(atTheEnd.of(sum), nullptr);
}

} // namespace
} // namespace avocet::compiler
