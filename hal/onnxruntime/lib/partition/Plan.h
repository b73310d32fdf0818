//===- Plan.h - The partitions of a graph -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_PLAN_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_PLAN_H

#include "avocet/hal/plugin/Support.h"
#include "model/PartitionModel.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace avocet::ort {

/// An input or output of a network.
struct NetworkOperand {
  std::string name;
  firmware::DataType type{}; ///< on the device
  bool isFloat64 = false;    ///< in the runtime; on the device it is float32
  std::vector<int64_t> shape = {};
  uint64_t bytes = 0; ///< on the device

  void setShape(std::vector<int64_t> extents);
};

struct PlannedNetwork {
  plugin::Prepared prepared; ///< null: extents are open
  std::vector<NetworkOperand> inputs, outputs;
  std::string file;                        ///< see PartitionModel::file(); empty without PlanOptions::keepsFiles
  std::shared_ptr<const OpenNetwork> open; ///< null: all extents are known

  /// Compiles it. The shapes of inputs are set; those of outputs are set if `asksShapes`.
  Status prepare(plugin::Engine &engine, plugin::Network network, bool asksShapes);
};

struct PlanOptions {
  bool allowsFloat32 = false; ///< for float64
  bool keepsFiles = false;
  std::set<size_t> taken = {}; ///< nodes that are not asked for
};

/// How the runtime knows these inputs or outputs of a network. All have a type of borderType(). Shapes with open
/// extents are not set.
std::vector<NetworkOperand> operandsOf(const std::vector<const Value *> &values);

/// Compiled partitions, by the names of their outputs: each value is the output of one partition.
using PlannedNetworks = std::map<std::set<std::string>, PlannedNetwork>;

struct Plan {
  plugin::Support<size_t> support;
  std::vector<std::vector<size_t>> partitions;
  PlannedNetworks networks;
};

/// Nodes of which every partition has been compiled. An error: the compiler cannot be asked.
Result<Plan> makePlan(const Graph &graph, plugin::Engine &engine, const PlanOptions &options);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_PLAN_H
