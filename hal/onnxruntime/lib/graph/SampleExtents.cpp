//===- SampleExtents.cpp - Numbers for open extents -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "graph/SampleExtents.h"

namespace avocet::ort {

SampleExtents::SampleExtents(const Graph &graph, int64_t first, int64_t other) : first_(first), other_(other) {
  for (const Value *input : graph.inputs())
    for (size_t axis = 0; axis < input->extentNames.size(); ++axis)
      named_.try_emplace(input->extentNames[axis], at(axis));
  named_.erase("");
}

std::vector<int64_t> SampleExtents::shapeOf(const Value &value) const {
  std::vector<int64_t> shape = *value.shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 0) {
      const auto named = named_.find(value.extentNames[axis]);
      shape[axis] = named == named_.end() ? at(axis) : named->second;
    }
  return shape;
}

} // namespace avocet::ort
