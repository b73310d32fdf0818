//===- Capabilities.h - Tables of performance -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The performance figures of a device, and the costs that a client computes from them. Figures are relative to the CPU,
// less is better; FLT_MAX: unknown.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_CAPABILITIES_H
#define AVOCET_HAL_TYPES_CAPABILITIES_H

#include "avocet/hal/types/Types.h"

#include <functional>
#include <vector>

namespace avocet::hal {

using PerformanceTable = std::vector<OperandPerformance>;

/// Sets the figures of a type; the table stays sorted and unique.
void update(PerformanceTable &table, OperandType type, const PerformanceInfo &info);

/// The figures of a type; FLT_MAX for both if the table has none.
PerformanceInfo lookup(const PerformanceTable &table, OperandType type);

/// The same figures for all standard types of `version`, without SUBGRAPH.
PerformanceTable nonExtensionPerformance(const PerformanceInfo &info, Version version = kLatestVersion);

/// How much an operation of a subgraph counts in sums; of an IF or WHILE, how much its own figures count.
using OperationWeight = std::function<float(const Subgraph &subgraph, const Operation &operation)>;

/// Costs of a model's operations. Usual cost: the figures of the type of the first input, the relaxed ones for float32
/// in relaxed models. IF: its own figures plus the mean of its branches. WHILE: its own plus condition and body once.
/// The references must outlive the object, and the model must be valid.
class CostModel {
public:
  /// Without weights all operations count alike, as the HAL's document defines.
  CostModel(const Capabilities &capabilities, const Model &model, OperationWeight weight = {});

  /// An operation of any subgraph of the model. Figures that would exceed FLT_MAX are FLT_MAX.
  PerformanceInfo of(const Subgraph &subgraph, const Operation &operation) const;
  /// The sum over a subgraph's operations.
  PerformanceInfo of(const Subgraph &subgraph) const;

private:
  PerformanceInfo ofType(OperandType type) const;
  PerformanceInfo weighted(const PerformanceInfo &info, const Subgraph &subgraph, const Operation &operation) const;
  PerformanceInfo ofReference(const Operand &operand) const;

  const Capabilities &capabilities_;
  const Model &model_;
  const OperationWeight weight_;
  std::vector<PerformanceInfo> referenced_; ///< by subgraph
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_CAPABILITIES_H
