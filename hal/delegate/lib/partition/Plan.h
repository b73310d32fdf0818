//===- Plan.h - The partitions of a graph -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_PARTITION_PLAN_H
#define AVOCET_HAL_DELEGATE_LIB_PARTITION_PLAN_H

#include "avocet/hal/plugin/Support.h"
#include "kernel/Shared.h"
#include "model/Graph.h"

#include <map>
#include <string>
#include <vector>

namespace avocet::delegate {

/// Open extents of the main graph change with its inputs, before a run. Those of a loop's or a branch's change in it.
enum class GraphRole { Main, LoopOrBranch };

using Support = plugin::Support<int32_t>;

/// Asks the compiler. An error means that it cannot be asked.
Result<Support> findSupport(const Graph &graph, Engine &engine, GraphRole role);

struct Plan {
  Support support;       ///< the nodes that go to the device
  size_t partitions = 0; ///< that they form
  PlannedNetworks networks;
};

/// Nodes of which every partition has been compiled for the shapes that the tensors have now. Errors: the interpreter
/// or the compiler does not answer.
Result<Plan> makePlan(abi::Context &context, Engine &engine, GraphRole role);

/// The nodes in the form of the interpreter: their number, then each.
class NodeList {
public:
  explicit NodeList(const std::vector<int32_t> &nodes);
  const abi::IntArray *get() const { return reinterpret_cast<const abi::IntArray *>(words_.data()); }

private:
  std::vector<int32_t> words_;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_PARTITION_PLAN_H
