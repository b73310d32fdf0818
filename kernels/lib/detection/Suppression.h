//===- Suppression.h - Boxes that do not overlap ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_DETECTION_SUPPRESSION_H
#define AVOCET_KERNELS_LIB_DETECTION_SUPPRESSION_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// Intersection over union of two boxes of corners; 0 if one has no area. The order of the axes does not matter.
inline float overlapOf(const float *a, const float *b) {
  const float areaA = (a[2] - a[0]) * (a[3] - a[1]), areaB = (b[2] - b[0]) * (b[3] - b[1]);
  if (!(areaA > 0 && areaB > 0))
    return 0;
  const float first = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]), 0.0f);
  const float second = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]), 0.0f);
  const float both = first * second;
  return both / (areaA + areaB - both);
}

/// Sorts indices by falling scores, equal ones by rising index. No score may be NaN.
inline void sortByScore(std::vector<uint32_t> &indices, const std::vector<float> &scores) {
  std::sort(indices.begin(), indices.end(),
            [&scores](uint32_t i, uint32_t j) { return scores[i] != scores[j] ? scores[i] > scores[j] : i < j; });
}

/// Of candidates from the best to the worst, the first `most` that no better kept one excludes.
template <typename Excludes>
std::vector<uint32_t> keepSeparate(const std::vector<uint32_t> &candidates, uint32_t most, Excludes &&excludes) {
  std::vector<uint32_t> kept;
  for (uint32_t candidate : candidates) {
    if (kept.size() >= most)
      break;
    if (std::none_of(kept.begin(), kept.end(), [&](uint32_t better) { return excludes(better, candidate); }))
      kept.push_back(candidate);
  }
  return kept;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_DETECTION_SUPPRESSION_H
