//===- Suppression.cpp - Known boxes that do not overlap --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace avocet::compiler {

using llvm::ArrayRef;
using llvm::SmallVector;

Box Box::of(ArrayRef<float> numbers, bool hasCenter) {
  Box box;
  for (size_t axis : {0, 1}) {
    const size_t first = hasCenter ? 1 - axis : axis;
    const float a = numbers[first], b = numbers[first + 2];
    box.low[axis] = hasCenter ? a - b / 2 : std::min(a, b);
    box.high[axis] = hasCenter ? a + b / 2 : std::max(a, b);
  }
  return box;
}

bool Box::overlaps(const Box &other, float threshold) const {
  float common = 1;
  for (size_t axis : {0, 1})
    common *= std::max(std::min(high[axis], other.high[axis]) - std::max(low[axis], other.low[axis]), 0.0f);
  return common > 0 && area() > 0 && other.area() > 0 && common / (area() + other.area() - common) > threshold;
}

SmallVector<int64_t> Suppression::selected(ArrayRef<Box> boxes, ArrayRef<float> scores) const {
  SmallVector<int64_t> order(boxes.size()), selected;
  std::iota(order.begin(), order.end(), 0);
  llvm::erase_if(order, [&](int64_t i) { return std::isnan(scores[i]) || (score && !(scores[i] > *score)); });
  llvm::sort(order, [&](int64_t a, int64_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  for (int64_t box : order) {
    if (static_cast<int64_t>(selected.size()) >= most)
      break;
    if (llvm::none_of(selected, [&](int64_t other) { return boxes[box].overlaps(boxes[other], overlap); }))
      selected.push_back(box);
  }
  return selected;
}

} // namespace avocet::compiler
