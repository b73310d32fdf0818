//===- SubgraphSupportTest.cpp - Support for parts of subgraphs -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using enum OperationType;

/// Of an extension that the device does not have.
const OperationType kUnknown = extensionOperation(1, 0);

Operand reference(uint64_t subgraph) {
  Operand operand = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
  operand.location.offset = subgraph;
  return operand;
}

Operand value(OperandLifeTime lifetime) { return tensor(OperandType::TensorFloat32, {1}, lifetime); }
Operand flag(OperandLifeTime lifetime) { return tensor(OperandType::TensorBool8, {1}, lifetime); }

/// One operation from a value to `output`.
Subgraph oneOperation(OperationType type, const Operand &output) {
  Subgraph graph;
  graph.operands = {value(OperandLifeTime::SubgraphInput), output};
  graph.operations = {{type, {0}, {1}}};
  if (type == Equal)
    graph.operations[0].inputs = {0, 0};
  graph.inputIndexes = {0};
  graph.outputIndexes = {1};
  return graph;
}

Model loopOf(OperationType condition, OperationType body) {
  Model model;
  model.extensionNameToPrefix = {{"com.example.unknown", 1}};
  model.referenced = {oneOperation(condition, flag(OperandLifeTime::SubgraphOutput)),
                      oneOperation(body, value(OperandLifeTime::SubgraphOutput))};
  Subgraph &main = model.main;
  main.operands = {reference(0), reference(1), value(OperandLifeTime::SubgraphInput),
                   value(OperandLifeTime::SubgraphOutput)};
  main.operations = {{While, {0, 1, 2}, {3}}};
  main.inputIndexes = {2};
  main.outputIndexes = {3};
  return model;
}

/// Of a condition and a value: IF with the two branches, by the indices of their subgraphs. `passesFlag`: the branches
/// take the condition too.
Subgraph branchesOf(uint64_t yes, uint64_t no, bool passesFlag) {
  Subgraph graph;
  graph.operands = {flag(OperandLifeTime::SubgraphInput), value(OperandLifeTime::SubgraphInput), reference(yes),
                    reference(no), value(OperandLifeTime::SubgraphOutput)};
  graph.operations = {{If, {0, 2, 3, 1}, {4}}};
  if (passesFlag)
    graph.operations[0].inputs = {0, 2, 3, 0, 1};
  graph.inputIndexes = {0, 1};
  graph.outputIndexes = {4};
  return graph;
}

/// An IF in a branch of an IF.
Model nestedBranch(OperationType innermost) {
  Model model;
  model.extensionNameToPrefix = {{"com.example.unknown", 1}};
  const Operand output = value(OperandLifeTime::SubgraphOutput);
  model.referenced = {oneOperation(Relu, output), oneOperation(innermost, output), branchesOf(0, 1, false)};
  model.main = branchesOf(2, 2, true);
  return model;
}

/// A loop whose body is an IF with a constant condition.
Model loopOfBranch(OperationType notTaken) {
  Model model = loopOf(Equal, Relu);
  const Operand output = value(OperandLifeTime::SubgraphOutput);
  Subgraph body = branchesOf(2, 3, false);
  body.operands[0].lifetime = OperandLifeTime::ConstantCopy;
  body.operands[0].location = {0, 0, 1};
  body.inputIndexes = {1};
  model.operandValues = {1};
  model.extensionNameToPrefix = {{"com.example.unknown", 1}};
  model.referenced[1] = body;
  model.referenced.push_back(oneOperation(Relu, output));
  model.referenced.push_back(oneOperation(notTaken, output));
  return model;
}

class SubgraphSupportTest : public DeviceFixture {
protected:
  void expectSupport(const Model &model, bool expected) {
    auto answer = device_->getSupportedOperations(model);
    ASSERT_TRUE(answer.isOk()) << answer.error().message;
    EXPECT_THAT(answer->supported, ElementsAre(expected)) << answer->reasons[0].rule;
    EXPECT_EQ(answer->reasons[0].rule.empty(), expected);
    EXPECT_EQ(device_->prepareModel(model, {}).code(), expected ? ErrorStatus::None : ErrorStatus::GeneralFailure);
  }
};

TEST_F(SubgraphSupportTest, RefusesLoopsWithUnsupportedParts) {
  expectSupport(loopOf(Equal, Relu), true);
  expectSupport(loopOf(kUnknown, Relu), false);
  expectSupport(loopOf(Equal, kUnknown), false);
}

TEST_F(SubgraphSupportTest, RefusesUnsupportedNestedBranch) {
  expectSupport(nestedBranch(Tanh), true);
  expectSupport(nestedBranch(kUnknown), false);
}

TEST_F(SubgraphSupportTest, JudgesBothBranchesInLoop) {
  expectSupport(loopOfBranch(Tanh), true);
  auto answer = device_->getSupportedOperations(loopOfBranch(kUnknown));
  ASSERT_TRUE(answer.isOk()) << answer.error().message;
  EXPECT_THAT(answer->supported, ElementsAre(false));
}

} // namespace
} // namespace avocet::hal
