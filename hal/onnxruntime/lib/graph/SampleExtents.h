//===- SampleExtents.h - Numbers for open extents ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_SAMPLEEXTENTS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_SAMPLEEXTENTS_H

#include "graph/Graph.h"

#include <map>
#include <string>
#include <vector>

namespace avocet::ort {

/// Numbers that stand for extents that only a run knows, so that the compiler can be asked about operators on them.
class SampleExtents {
public:
  /// `first`: of the axes 0, which are batches most often. A name stands for the same number at all of its axes: that
  /// of the axis where it is first, in the order of the graph's inputs.
  SampleExtents(const Graph &graph, int64_t first, int64_t other);

  /// The shape with the numbers; the rank must be known.
  std::vector<int64_t> shapeOf(const Value &value) const;

private:
  int64_t at(size_t axis) const { return axis == 0 ? first_ : other_; }

  int64_t first_, other_;
  std::map<std::string, int64_t, std::less<>> named_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_SAMPLEEXTENTS_H
