//===- Support.h - Which nodes the device takes - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_PARTITION_SUPPORT_H
#define AVOCET_HAL_DELEGATE_LIB_PARTITION_SUPPORT_H

#include "device/Engine.h"
#include "model/Graph.h"

#include <map>
#include <string>
#include <vector>

namespace avocet::delegate {

/// Open extents of the main graph change with its inputs, before a run. Those of a loop's or a branch's change in it.
enum class GraphRole { Main, LoopOrBranch };

struct Support {
  std::vector<int32_t> nodes;             ///< of the interpreter, in its order
  std::map<int32_t, std::string> reasons; ///< why the other nodes stay with TensorFlow Lite
};

/// Asks the compiler. An error means that it cannot be asked.
Result<Support> findSupport(const Graph &graph, Engine &engine, GraphRole role);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_PARTITION_SUPPORT_H
