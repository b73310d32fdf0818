//===- Suppression.h - Selecting boxes that do not overlap ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels that select boxes by score. Operands are as in Detection.h. The number of selected boxes depends on data;
// the results have a fixed number of rows: the first boxes selected, then rows of real zero.
//
// "nonMaxSuppression": TFLite's NON_MAX_SUPPRESSION_V4 and V5.
//
//   inputs      boxes f32 [boxes, 4], two opposite corners each; scores f32 [boxes]
//   outputs     indices i32 [results], scores f32 [results], number i32 [1]
//
//   A box is selected unless its overlap with a selected one is at the threshold or above. With sigma, the score of a
//   box is multiplied by exp(-overlap^2 / (2 sigma)) for each selected one, and must stay above the threshold.
//
// "boxNmsLimit": NNAPI's BOX_WITH_NMS_LIMIT.
//
//   inputs      scores [boxes, classes], boxes [boxes, classes, 4], batches i32 [boxes]; class 0 is the background, and
//               boxes of one batch follow each other
//   outputs     scores [results], boxes [results, 4] (stored as the input), classes i32 [results], batches i32
//   [results]
//
//   Results of a batch are sorted by class, then by score.
//
// "generateProposals": NNAPI's GENERATE_PROPOSALS: anchors at each pixel, moved by offsets, without overlaps.
//
//   inputs      scores [batches, height, width, anchors], offsets [batches, height, width, anchors, 4],
//               anchors [anchors, 4], images [batches, 2] as [height, width]
//   outputs     scores [results], boxes [results, 4], batches i32 [results]
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SUPPRESSION_H
#define AVOCET_KERNELS_DSP_SUPPRESSION_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kBoxNmsLimitKernel{"boxNmsLimit", 63};
inline constexpr KernelId kGenerateProposalsKernel{"generateProposals", 64};
inline constexpr KernelId kNonMaxSuppressionKernel{"nonMaxSuppression", 75};

struct NonMaxSuppressionParameters {
  uint32_t boxes = 1, results = 1;
  float overlapThreshold = 0, scoreThreshold = 0; ///< not NaN
  float sigma = 0;                                ///< 0 or more; 0: scores do not change

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("boxes", self.boxes);
    visit("results", self.results);
    visit("overlapThreshold", self.overlapThreshold);
    visit("scoreThreshold", self.scoreThreshold);
    visit("sigma", self.sigma);
  }
};

/// How an overlapping box loses score. Numbers are those of NNAPI.
enum class NmsKernel : uint32_t {
  Hard = 0,    ///< to 0 at the threshold or above
  Linear = 1,  ///< times (1 - overlap) at the threshold or above
  Gaussian = 2 ///< times exp(-overlap^2 / sigma)
};

struct BoxNmsLimitParameters {
  uint32_t boxes = 1, classes = 2, results = 1;
  float scoreScale = 1, boxScale = 1;
  float scoreThreshold = 0; ///< a box needs a score above
  uint32_t most = 0;        ///< boxes of a batch, and of a class in it; UINT32_MAX: any number
  NmsKernel kernel = NmsKernel::Hard;
  float overlapThreshold = 0, sigma = 1;
  float nmsScoreThreshold = 0; ///< a box is dropped when its changed score is below

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("boxes", self.boxes);
    visit("classes", self.classes);
    visit("results", self.results);
    visit("scoreScale", self.scoreScale);
    visit("boxScale", self.boxScale);
    visit("scoreThreshold", self.scoreThreshold);
    visit("most", self.most);
    visit("kernel", self.kernel);
    visit("overlapThreshold", self.overlapThreshold);
    visit("sigma", self.sigma);
    visit("nmsScoreThreshold", self.nmsScoreThreshold);
  }
};

struct GenerateProposalsParameters {
  uint32_t batches = 1, height = 1, width = 1, anchors = 1, results = 1;
  float strideY = 1, strideX = 1; ///< pixels of the image for a pixel of the scores
  uint32_t mostBefore = 0;        ///< best scores of a batch that are considered; 0: all
  uint32_t mostAfter = 0;         ///< boxes of a batch; 0: any number
  float overlapThreshold = 0;
  float leastSize = 0; ///< boxes with a width or height at or below are dropped
  float scoreScale = 1, offsetScale = 1, anchorScale = 1, imageScale = 1, resultScale = 1, boxScale = 1;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("batches", self.batches);
    visit("height", self.height);
    visit("width", self.width);
    visit("anchors", self.anchors);
    visit("results", self.results);
    visit("strideY", self.strideY);
    visit("strideX", self.strideX);
    visit("mostBefore", self.mostBefore);
    visit("mostAfter", self.mostAfter);
    visit("overlapThreshold", self.overlapThreshold);
    visit("leastSize", self.leastSize);
    visit("scoreScale", self.scoreScale);
    visit("offsetScale", self.offsetScale);
    visit("anchorScale", self.anchorScale);
    visit("imageScale", self.imageScale);
    visit("resultScale", self.resultScale);
    visit("boxScale", self.boxScale);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SUPPRESSION_H
