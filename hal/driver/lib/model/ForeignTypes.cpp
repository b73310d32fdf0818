//===- ForeignTypes.cpp - Operands of types that the device lacks ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ForeignTypes.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace avocet::hal {
namespace {

bool isForeign(const Operand &operand) { return isExtension(operand.type) || isOem(operand.type); }

const Operand *firstForeign(const Subgraph &graph) {
  const auto found = std::ranges::find_if(graph.operands, isForeign);
  return found == graph.operands.end() ? nullptr : &*found;
}

/// By referenced subgraph: a foreign type in it or below it, or null.
std::vector<const Operand *> foreignSubgraphs(const Model &model) {
  const size_t count = model.referenced.size();
  std::vector<const Operand *> foreign(count);
  std::vector<std::vector<size_t>> users(count);
  std::vector<size_t> open;
  for (size_t i = 0; i < count; ++i) {
    foreign[i] = firstForeign(model.referenced[i]);
    if (foreign[i] != nullptr)
      open.push_back(i);
    for (const Operand &operand : model.referenced[i].operands)
      if (operand.lifetime == OperandLifeTime::Subgraph)
        users[operand.location.offset].push_back(i);
  }
  while (!open.empty()) {
    const size_t used = open.back();
    open.pop_back();
    for (size_t user : users[used])
      if (foreign[user] == nullptr) {
        foreign[user] = foreign[used];
        open.push_back(user);
      }
  }
  return foreign;
}

void replaceForeignTypes(Subgraph &graph) {
  for (Operand &operand : graph.operands) {
    if (!isForeign(operand))
      continue;
    const bool hasValue = !isConstant(operand.lifetime);
    operand = {.type = OperandType::TensorFloat32,
               .dimensions = {1},
               .lifetime = hasValue ? operand.lifetime : OperandLifeTime::NoValue,
               .location = {},
               .extraParams = {}};
  }
}

} // namespace

std::map<size_t, std::string> foreignOperations(const Model &model) {
  const std::vector<const Operand *> subgraphs = foreignSubgraphs(model);
  std::map<size_t, std::string> operations;
  for (size_t i = 0; i < model.main.operations.size(); ++i) {
    const Operation &operation = model.main.operations[i];
    for (const auto *list : {&operation.inputs, &operation.outputs})
      for (uint32_t index : *list) {
        const Operand &operand = model.main.operands[index];
        const Operand *foreign = isForeign(operand) ? &operand : nullptr;
        if (operand.lifetime == OperandLifeTime::Subgraph)
          foreign = subgraphs[operand.location.offset];
        if (foreign != nullptr)
          operations.emplace(i, toString(foreign->type));
      }
  }
  return operations;
}

void replaceForeignTypes(Model &model) {
  replaceForeignTypes(model.main);
  for (Subgraph &graph : model.referenced)
    replaceForeignTypes(graph);
}

Outcome checkNoForeignTypes(const Model &model) {
  const Operand *foreign = firstForeign(model.main);
  for (const Subgraph &graph : model.referenced)
    foreign = foreign != nullptr ? foreign : firstForeign(graph);
  if (foreign == nullptr)
    return success();
  return generalFailure(
      fmt::format("model: has an operand of type {}, which this device does not support", toString(foreign->type)));
}

} // namespace avocet::hal
