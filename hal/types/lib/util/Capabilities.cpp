//===- Capabilities.cpp - Tables of performance ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Capabilities.h"

#include "avocet/hal/types/Utils.h"
#include "util/Subgraphs.h"

#include <algorithm>
#include <cfloat>

namespace avocet::hal {

static constexpr PerformanceInfo kUnknown = {FLT_MAX, FLT_MAX};

void update(PerformanceTable &table, OperandType type, const PerformanceInfo &info) {
  auto place = std::ranges::lower_bound(table, type, {}, &OperandPerformance::type);
  if (place != table.end() && place->type == type)
    place->info = info;
  else
    table.insert(place, {type, info});
}

PerformanceInfo lookup(const PerformanceTable &table, OperandType type) {
  auto place = std::ranges::lower_bound(table, type, {}, &OperandPerformance::type);
  return place != table.end() && place->type == type ? place->info : kUnknown;
}

PerformanceTable nonExtensionPerformance(const PerformanceInfo &info, Version version) {
  PerformanceTable table;
  for (const OperandTypeInfo &type : allOperandTypes())
    if (type.since <= version && type.type != OperandType::Subgraph)
      table.push_back({type.type, info});
  return table;
}

/// Sums saturate at FLT_MAX: infinity would break comparisons that subtract.
static PerformanceInfo add(const PerformanceInfo &a, const PerformanceInfo &b, float weight = 1) {
  return {std::min(a.execTime + b.execTime * weight, FLT_MAX), std::min(a.powerUsage + b.powerUsage * weight, FLT_MAX)};
}

CostModel::CostModel(const Capabilities &capabilities, const Model &model, OperationWeight weight)
    : capabilities_(capabilities), model_(model), weight_(std::move(weight)),
      referenced_(model.referenced.size(), kUnknown) {
  std::vector<size_t> order = usersFirst(model.referenced);
  for (auto index = order.rbegin(); index != order.rend(); ++index)
    referenced_[*index] = of(model.referenced[*index]);
}

PerformanceInfo CostModel::ofType(OperandType type) const {
  if (model_.relaxComputationFloat32toFloat16 && type == OperandType::TensorFloat32)
    return capabilities_.relaxedFloat32toFloat16PerformanceTensor;
  if (model_.relaxComputationFloat32toFloat16 && type == OperandType::Float32)
    return capabilities_.relaxedFloat32toFloat16PerformanceScalar;
  return lookup(capabilities_.operandPerformance, type);
}

PerformanceInfo CostModel::ofReference(const Operand &operand) const { return referenced_[operand.location.offset]; }

PerformanceInfo CostModel::weighted(const PerformanceInfo &info, const Subgraph &subgraph,
                                    const Operation &operation) const {
  return weight_ ? add({0, 0}, info, weight_(subgraph, operation)) : info;
}

PerformanceInfo CostModel::of(const Subgraph &subgraph, const Operation &operation) const {
  auto input = [&](size_t position) -> const Operand & { return subgraph.operands[operation.inputs[position]]; };
  if (operation.type == OperationType::If)
    return add(add(weighted(capabilities_.ifPerformance, subgraph, operation), ofReference(input(1)), 0.5F),
               ofReference(input(2)), 0.5F);
  if (operation.type == OperationType::While)
    return add(add(weighted(capabilities_.whilePerformance, subgraph, operation), ofReference(input(0))),
               ofReference(input(1)));
  return operation.inputs.empty() ? kUnknown : weighted(ofType(input(0).type), subgraph, operation);
}

PerformanceInfo CostModel::of(const Subgraph &subgraph) const {
  PerformanceInfo sum;
  for (const Operation &operation : subgraph.operations)
    sum = add(sum, of(subgraph, operation));
  return sum;
}

} // namespace avocet::hal
