//===- View.h - Parts of dense tensors as boxes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_VIEW_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_VIEW_H

#include "Piece.h"

#include <span>

namespace avocet::compiler::schedule {

/// A loop over elements of a tensor.
struct ViewAxis {
  uint32_t extent = 1;
  int64_t stride = 0; ///< elements; of either sign
};

/// A box that holds all elements of a loop nest, and the same loop nest over its copy in SRAM.
struct View {
  Box box;
  uint64_t elements = 0;        ///< in the box
  int64_t offset = 0;           ///< of the first element in the copy
  std::vector<int64_t> strides; ///< by axis, in the copy
};

/// Nullopt if more than three counts of runs are needed, or if elements are visited twice other than by strides of 0.
/// `mayCover`: the box may include unneeded elements in between, which avoids very short runs.
std::optional<View> viewOf(uint32_t elementBytes, int64_t offset, std::span<const ViewAxis> axes, bool mayCover);

/// A dense map at address 0.
firmware::FeatureMap denseMap(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels,
                              int32_t zeroPoint);

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

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_VIEW_H
