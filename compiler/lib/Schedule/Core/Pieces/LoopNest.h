//===- LoopNest.h - Operands as loops over shared axes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_LOOPNEST_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_LOOPNEST_H

#include "View.h"

namespace avocet::compiler::schedule {

/// Stride of each axis in one operand, in elements; 0 where the operand does not have the axis.
using Steps = std::vector<int64_t>;

/// Strides of a dense operand whose axes, outermost first, are those with nonzero extent.
inline Steps denseSteps(const std::vector<uint32_t> &extents) {
  Steps steps(extents.size(), 0);
  int64_t stride = 1;
  for (size_t axis = extents.size(); axis-- > 0;)
    if (extents[axis]) {
      steps[axis] = stride;
      stride *= extents[axis];
    }
  return steps;
}

/// The part of an operand that ranges of the axes touch.
inline std::optional<View> viewOfRanges(firmware::DataType type, const Steps &steps, const std::vector<Range> &ranges) {
  int64_t offset = 0;
  std::vector<ViewAxis> loop;
  for (size_t axis = 0; axis < steps.size(); ++axis) {
    offset += int64_t(ranges[axis].begin) * steps[axis];
    loop.push_back({ranges[axis].count(), steps[axis]});
  }
  return viewOf(firmware::sizeOf(type), offset, loop, false);
}

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_LOOPNEST_H
