//===- InferenceTest.cpp - Operations that infer their results --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// Operations that infer nothing, with the reason.
const std::map<std::string_view, std::string_view> kExemptions = {
    {"nn.constant", "its value has the shape and its result the type, which are all that it has"},
    {"nn.if", "its results are those of its regions, which are verified"},
    {"nn.while", "its results have the types of its operands, which are verified"},
    {"nn.yield", "has no results"},
};

TEST(InferenceTest, EachOperationInfersOrIsExempt) {
  MLIRContext context;
  context.loadDialect<NnDialect>();
  size_t exempt = 0;
  for (RegisteredOperationName op : context.getRegisteredOperationsByDialect(NnDialect::getDialectNamespace())) {
    const bool isExempt = kExemptions.contains(std::string_view(op.getStringRef()));
    EXPECT_NE(op.hasInterface<InferShapedTypeOpInterface>(), isExempt)
        << op.getStringRef().str() << " must infer its shapes or be exempt, not both";
    exempt += isExempt;
  }
  EXPECT_EQ(exempt, kExemptions.size()) << "an exemption names an operation that does not exist";
}

TEST(InferenceTest, BuildersInferTypes) {
  MLIRContext context;
  context.loadDialect<NnDialect, func::FuncDialect>();
  OpBuilder builder(&context);
  auto type = RankedTensorType::get({2, 3}, builder.getF16Type());
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(builder, builder.getUnknownLoc(), "main", builder.getFunctionType({type}, {}));
  builder.setInsertionPointToStart(function->addEntryBlock());
  Value input = function->getArgument(0);
  Value turned = TransposeOp::create(builder, builder.getUnknownLoc(), input, ArrayRef<int64_t>{1, 0});
  EXPECT_EQ(turned.getType(), RankedTensorType::get({3, 2}, builder.getF16Type()));
  Value relation = CompareOp::create(builder, builder.getUnknownLoc(), input, input, CompareKind::Less, false);
  EXPECT_EQ(relation.getType(), RankedTensorType::get({2, 3}, builder.getI1Type()));
}

/// The error is that of the rule, without a location too.
TEST(InferenceTest, BrokenRulesFail) {
  MLIRContext context;
  context.loadDialect<NnDialect, func::FuncDialect>();
  OpBuilder builder(&context);
  auto type = RankedTensorType::get({2, 3}, builder.getF32Type());
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(builder, builder.getUnknownLoc(), "main", builder.getFunctionType({type}, {}));
  builder.setInsertionPointToStart(function->addEntryBlock());
  TransposeOp::Properties twice;
  twice.permutation = builder.getDenseI64ArrayAttr({0, 0});
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str();
    return success();
  });
  SmallVector<Type> types;
  EXPECT_TRUE(failed(TransposeOp::inferReturnTypes(&context, builder.getUnknownLoc(), function->getArguments(), {},
                                                   &twice, {}, types)));
  EXPECT_EQ(text, "'nn.transpose' op 'permutation' must name every axis once");
  EXPECT_TRUE(
      failed(TransposeOp::inferReturnTypes(&context, std::nullopt, function->getArguments(), {}, &twice, {}, types)));
  EXPECT_EQ(text, "'nn.transpose' op 'permutation' must name every axis once");
}

} // namespace
} // namespace avocet::compiler::nn
