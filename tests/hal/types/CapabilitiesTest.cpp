//===- CapabilitiesTest.cpp - Tables of performance and costs -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Capabilities.h"
#include "Models.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gtest/gtest.h>

#include <cfloat>

namespace avocet::hal::test {
namespace {

using enum OperandType;

TEST(PerformanceTable, StaysSortedAndUnique) {
  PerformanceTable table;
  update(table, TensorQuant8Asymm, {3, 3});
  update(table, Float32, {1, 1});
  update(table, TensorFloat32, {2, 2});
  update(table, TensorQuant8Asymm, {4, 5});
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].type, Float32);
  EXPECT_EQ(table[2].type, TensorQuant8Asymm);
  EXPECT_EQ(lookup(table, TensorQuant8Asymm).powerUsage, 5);
  EXPECT_EQ(lookup(table, TensorInt32).execTime, FLT_MAX);
}

TEST(PerformanceTable, FullTableHasAllTypesExceptSubgraph) {
  EXPECT_EQ(nonExtensionPerformance({1, 1}).size(), 15U);
  EXPECT_EQ(nonExtensionPerformance({1, 1}, Version::V1_2).size(), 14U);
  EXPECT_EQ(nonExtensionPerformance({1, 1}, Version::V1_0).size(), 6U);
  Capabilities capabilities{{1, 1}, {1, 1}, nonExtensionPerformance({1, 1}), {1, 1}, {1, 1}};
  EXPECT_TRUE(validate(capabilities).isOk());
}

Capabilities capabilities() {
  Capabilities made{{0.5F, 0.6F}, {0.25F, 0.3F}, nonExtensionPerformance({1, 2}), {10, 11}, {20, 21}};
  update(made.operandPerformance, TensorFloat32, {3, 4});
  return made;
}

TEST(CostModel, UsesTypeOfFirstInput) {
  Capabilities figures = capabilities();
  Model model = baseModels()[0].model;
  CostModel costs(figures, model);
  EXPECT_EQ(costs.of(model.main, model.main.operations[0]).execTime, 3);
  EXPECT_EQ(costs.of(model.main).powerUsage, 8);
}

TEST(CostModel, RelaxedModelsHaveTheirOwnFigures) {
  Capabilities figures = capabilities();
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  EXPECT_EQ(CostModel(figures, model).of(model.main).execTime, 0.5F);
}

TEST(CostModel, BranchesCostTheirMeanAndLoopsOneIteration) {
  Capabilities figures = capabilities();
  Model branch = baseModels()[7].model;
  EXPECT_EQ(CostModel(figures, branch).of(branch.main).execTime, 10 + (3 + 3) / 2);
  Model loop = baseModels()[8].model;
  EXPECT_EQ(CostModel(figures, loop).of(loop.main).execTime, 20 + 3 + 3);
}

TEST(CostModel, UnknownFiguresStayFinite) {
  Capabilities figures = capabilities();
  figures.operandPerformance.clear();
  Model model = baseModels()[0].model;
  EXPECT_EQ(CostModel(figures, model).of(model.main).execTime, FLT_MAX);
}

} // namespace
} // namespace avocet::hal::test
