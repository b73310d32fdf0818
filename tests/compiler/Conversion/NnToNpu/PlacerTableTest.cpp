//===- PlacerTableTest.cpp - A placer for each operation --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Operations without a placer, with the reason.
const std::map<std::string_view, std::string_view> kExemptions = {
    {"nn.if", "nn-outline-control-flow replaces it by sections before placement"},
    {"nn.while", "nn-outline-control-flow replaces it by sections before placement"},
    {"nn.yield", "ends a region of nn.if or nn.while"},
};

TEST(PlacerTableTest, EachOperationHasAPlacerOrAnExemption) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  size_t operations = 0, exempt = 0;
  for (RegisteredOperationName op : context.getRegisteredOperationsByDialect(nn::NnDialect::getDialectNamespace())) {
    const bool isExempt = kExemptions.contains(std::string_view(op.getStringRef()));
    const bool hasPlacer = placerTable().find(op.getStringRef()) != nullptr;
    EXPECT_NE(hasPlacer, isExempt) << op.getStringRef().str() << " needs a placer or an exemption, not both";
    ++operations;
    exempt += isExempt;
  }
  EXPECT_GT(operations, exempt);
  EXPECT_EQ(exempt, kExemptions.size()) << "an exemption names an operation that does not exist";
}

} // namespace
} // namespace avocet::compiler
