//===- ModelTest.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "TestDevice.h"
#include "TestModels.h"

#include <gmock/gmock.h>

namespace avocet::hal::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class Models : public CapiTest {
protected:
  void expectRefused(const Model &model, const std::string &why) {
    for (const Error &error :
         {device_->getSupportedOperations(model).error(), device_->prepareModel(model, {}).error()}) {
      EXPECT_EQ(error.code, ErrorStatus::InvalidArgument);
      EXPECT_THAT(error.message, HasSubstr(why));
    }
  }
};

/// `depth` branches within each other; the innermost adds.
Model nested(uint32_t depth) {
  Model model = branch();
  for (uint32_t i = 1; i < depth; ++i) {
    Model outer = branch();
    for (const Subgraph &inner : model.referenced)
      outer.referenced.push_back(inner);
    outer.referenced[0] = model.main;
    for (Operand &operand : outer.referenced[0].operands)
      if (operand.lifetime == OperandLifeTime::Subgraph)
        operand.location.offset += 2;
    for (size_t graph = 2; graph < outer.referenced.size(); ++graph)
      for (Operand &operand : outer.referenced[graph].operands)
        if (operand.lifetime == OperandLifeTime::Subgraph)
          operand.location.offset += 2;
    model = std::move(outer);
  }
  return model;
}

TEST_F(Models, AreSupportedWhole) {
  for (const Model &model : {chain(), chain(true), branch(), loop(8)}) {
    auto answer = device_->getSupportedOperations(model);
    ASSERT_TRUE(answer.isOk()) << answer.error().message;
    EXPECT_EQ(answer->supported.size(), model.main.operations.size());
    EXPECT_THAT(answer->supported, Each(true));
  }
}

TEST_F(Models, ConstantsMustLieInTheirValues) {
  Model model = chain();
  model.main.operands[0].location.offset = model.operandValues.size();
  expectRefused(model, "constant 0 ends at");
  model.main.operands[0].location = {0, UINT64_MAX, 4, 0};
  expectRefused(model, "constant 0 ends at");
}

TEST_F(Models, ReferencesMustLieInAPool) {
  Model model = chain();
  model.main.operands[0].lifetime = OperandLifeTime::ConstantReference;
  model.main.operands[0].location.poolIndex = 7;
  expectRefused(model, "constant 0 is in pool 7 of 0");
  model.pools.push_back(nullptr);
  expectRefused(model, "a pool of the model is null");
}

TEST_F(Models, SubgraphsMustExistAndEnd) {
  Model model = branch();
  for (Operand &operand : model.main.operands)
    if (operand.lifetime == OperandLifeTime::Subgraph)
      operand.location.offset = 9;
  expectRefused(model, "is subgraph 9 of 2");

  Model endless = branch();
  endless.referenced[0] = endless.main;
  expectRefused(endless, "subgraph 0 contains itself");
}

TEST_F(Models, NestingHasALimit) { expectRefused(nested(70), "is within 64 others"); }

TEST_F(Models, CodesOfUnnamedExtensionsAreRefused) {
  Model model = chain();
  model.main.operations[1].type = static_cast<OperationType>(0x70001);
  expectRefused(model, "code 0x70001 has a prefix that the model does not name");
}

/// The C interface does not check shapes, and then calls the operation unsupported.
TEST_F(Models, WhatEvenTheCpuRefusesIsInvalid) {
  Model model = chain();
  GraphBuilder graph(model, model.main);
  const uint32_t other = graph.input(vectorOf(kLength + 1));
  model.main.operations[0].inputs[1] = other;
  expectRefused(model, "");
}

TEST_F(Models, HintsAndPassedDeadlinesAreRefused) {
  PrepareOptions hinted;
  hinted.hints.push_back({1, {2}});
  EXPECT_EQ(device_->prepareModel(chain(), hinted).code(), ErrorStatus::InvalidArgument);
  PrepareOptions late;
  late.deadline = BootClock::now() - std::chrono::seconds(1);
  EXPECT_EQ(device_->prepareModel(chain(), late).code(), ErrorStatus::MissedDeadlinePersistent);
}

} // namespace
} // namespace avocet::hal::test
