//===- OpenControlFlow.cpp - Branches and loops of the random models -* -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenModels.h"
#include "SmallModels.h"

#include "avocet/hal/types/Utils.h"

#include <cstring>

namespace avocet::hal::testing {

/// One operation on the chain's value.
Subgraph OpenModel::branch(OperationType type) {
  Subgraph branch;
  branch.operands = {likeValue(OperandLifeTime::SubgraphInput), likeValue(OperandLifeTime::SubgraphOutput)};
  branch.inputIndexes = {0};
  branch.outputIndexes = {1};
  branch.operations = {{type, {0}, {1}}};
  if (type == OperationType::Softmax) {
    branch.operands.push_back(floatConstant(model_, 1.0f));
    branch.operations[0].inputs.push_back(2);
  }
  if (type == OperationType::Concatenation) {
    branch.operands.push_back(scalarConstant(model_, 0));
    branch.operations[0].inputs = {0, 0, 2};
  }
  return branch;
}

/// IF: one branch is RELU. The other may be unsupported on a target, or give another shape; the condition may be
/// constant.
void OpenModel::addBranch() {
  constexpr OperationType kReal[] = {OperationType::Tanh, OperationType::Softmax, OperationType::Softmax,
                                     OperationType::Concatenation},
                          kQuantized[] = {OperationType::Relu6, OperationType::Relu6, OperationType::Relu6,
                                          OperationType::Concatenation};
  const OperationType other = (isReal() ? kReal : kQuantized)[below(4)];
  const bool isConstant = below(3) == 0;
  description_ += " if" + operationName(other) + (isConstant ? "Constant" : "");
  features_.insert(isConstant ? "constantIf" : "if");
  Operand condition = tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphInput);
  const auto taken = static_cast<uint8_t>(below(2));
  const uint32_t first = isConstant ? addConstant(condition, {taken}) : add(condition);
  const uint32_t then = addSubgraph(branch(OperationType::Relu)), otherwise = addSubgraph(branch(other));
  operation(OperationType::If, {first, then, otherwise, value_});
  if (!isConstant)
    steps_.push_back([this](Extents &, std::vector<OpenInput> &inputs) {
      inputs.push_back({{1}, {static_cast<uint8_t>(below(2))}});
    });
}

/// Values of the loop: the chain's, an iteration count, and its limit.
Subgraph OpenModel::loopCondition() const {
  const Operand number = tensor(OperandType::TensorInt32, {1}, OperandLifeTime::SubgraphInput);
  Subgraph condition;
  condition.operands = {likeValue(OperandLifeTime::SubgraphInput), number, number,
                        tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphOutput)};
  condition.inputIndexes = {0, 1, 2};
  condition.outputIndexes = {3};
  condition.operations = {{OperationType::Less, {1, 2}, {3}}};
  return condition;
}

Subgraph OpenModel::loopBody(OperationType type) {
  Subgraph body = branch(type);
  const auto first = static_cast<uint32_t>(body.operands.size());
  const Operand number = tensor(OperandType::TensorInt32, {1}, OperandLifeTime::SubgraphInput);
  Operand next = number, one = number;
  next.lifetime = OperandLifeTime::SubgraphOutput;
  const Operand place = scalarConstant(model_, 1);
  one.lifetime = OperandLifeTime::ConstantCopy;
  one.location = place.location;
  body.operands.insert(body.operands.end(), {number, number, one, scalarConstant(model_, 0), next});
  body.inputIndexes = {0, first, first + 1};
  body.outputIndexes = {1, first + 4};
  body.operations.push_back({OperationType::Add, {first, first + 2, first + 3}, {first + 4}});
  return body;
}

/// WHILE: an input gives the number of iterations. A concatenation doubles the first extent in each.
void OpenModel::addLoop() {
  constexpr OperationType kReal[] = {OperationType::Relu, OperationType::Softmax, OperationType::Softmax,
                                     OperationType::Concatenation},
                          kQuantized[] = {OperationType::Relu, OperationType::Relu6, OperationType::Relu,
                                          OperationType::Concatenation};
  const OperationType code = (isReal() ? kReal : kQuantized)[below(4)];
  description_ += " while" + operationName(code);
  features_.insert("while");
  const bool grows = code == OperationType::Concatenation;
  if (grows && isRanked())
    declared_[0] = 0;
  const uint32_t condition = addSubgraph(loopCondition()), body = addSubgraph(loopBody(code));
  const uint32_t start = addInts({0});
  const uint32_t limit = add(tensor(OperandType::TensorInt32, {1}, OperandLifeTime::SubgraphInput));
  operation(OperationType::While, {condition, body, value_, start, limit});
  steps_.push_back([this, grows](Extents &value, std::vector<OpenInput> &inputs) {
    const uint32_t iterations = below(4);
    inputs.push_back({{1}, {static_cast<uint8_t>(iterations), 0, 0, 0}});
    if (grows)
      value[0] <<= iterations;
  });
}

} // namespace avocet::hal::testing
