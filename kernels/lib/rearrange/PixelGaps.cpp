//===- PixelGaps.cpp - Moves of rows whose pixels have gaps ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rearrange/PixelGaps.h"

namespace avocet::kernels {

using namespace firmware;

bool hasPixelGaps(const FeatureMap &map) { return map.width > 1 && map.pixelStride != map.channels * sizeOf(map.type); }

/// Converts one side of the move.
static bool spread(uint32_t &offset, std::vector<MoveAxis> &axes, int32_t MoveAxis::*stride, const FeatureMap &map) {
  if (!hasPixelGaps(map))
    return true;
  const int64_t channels = map.channels, pixel = map.pixelStride / sizeOf(map.type);
  int64_t least = offset % channels, most = least;
  offset = static_cast<uint32_t>(offset / channels * pixel + least);
  for (MoveAxis &axis : axes) {
    if (axis.extent == 1) {
      axis.*stride = 0; // it may be any number
    } else if (axis.*stride % channels == 0) {
      axis.*stride = static_cast<int32_t>(axis.*stride / channels * pixel);
    } else {
      const int64_t reach = int64_t(axis.extent - 1) * (axis.*stride);
      (reach < 0 ? least : most) += reach;
    }
  }
  return least >= 0 && most < channels;
}

std::optional<Move> overGaps(const Move &move, const FeatureMap &input, const FeatureMap &output) {
  Move result = move;
  const bool isPossible = spread(result.inputOffset, result.axes, &MoveAxis::inputStride, input) &&
                          spread(result.outputOffset, result.axes, &MoveAxis::outputStride, output);
  return isPossible ? std::optional(result) : std::nullopt;
}

} // namespace avocet::kernels
