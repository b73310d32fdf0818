//===- Stages.h - Sets of nodes that can become one -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_STAGES_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_STAGES_H

#include "graph/Graph.h"

#include <span>
#include <vector>

namespace avocet::ort {

/// Divides the nodes, of which each set can become one node of the graph: no path leaves a set and returns to it. There
/// are as few sets as possible.
std::vector<std::vector<size_t>> divide(const Graph &graph, std::span<const size_t> ids);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PARTITION_STAGES_H
