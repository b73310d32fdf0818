//===- Detection.h - Boxes of detected objects ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels on boxes. All operands are dense. A box has the corners [x1, y1, x2, y2] (of "detectionPostprocess":
// [y1, x1, y2, x2]). Real operands are f32, f16, or integers of 8 or 16 bits with the scale in the parameters; they are
// computed in f32 and rounded once, halves away from zero. Batch indices are run-time data: one outside of the range
// selects the nearest batch. The overlap of
// two boxes is the area of their intersection over that of their union. Of equal scores the first comes first, and a
// NaN never counts as a score.
//
// "detectionPostprocess": boxes from offsets to anchors, then the best ones that do not overlap.
//
//   inputs      scores [batches, anchors, classes], offsets [batches, anchors, coordinates] with [y, x, h, w] first,
//               anchors [anchors, 4] as [y, x, h, w]; f32, or all f16. Then, unless `regular` or `background`, labels
//               i32 [batches, anchors, classes] may follow: those of the scores, in place of the numbers of their
//               classes
//   outputs     scores [batches, results], boxes [batches, results, 4], classes i32 [batches, results],
//               numbers i32 [batches]; results is maxDetections, times maxClasses unless `regular`
//
//   The box of an anchor has the center offset / scale * (anchor's size) + (anchor's center) and the size
//   exp(offset / scale) * (anchor's size). `regular` treats each class by itself; otherwise an anchor has the score of
//   its best class, and a result for each of its maxClasses best ones. Unused results are zero bytes.
//
// "boxTransform": boxes moved and resized by offsets, clipped to their image.
//
//   inputs      boxes [boxes, 4], offsets [boxes, classes, 4] as [x, y, w, h] relative to the box, batches i32 [boxes],
//               images [images, 2] as [height, width]
//   outputs     boxes [boxes, classes, 4]
//
// "heatmapKeypoint": position of the largest value of each heat map, refined by a quadratic function through its
// neighbors; those outside are mirrored.
//
//   inputs      heat maps [boxes, size, size, points], boxes [boxes, 4]
//   outputs     scores [boxes, points], positions [boxes, points, 2] as [x, y] in the image
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_DETECTION_H
#define AVOCET_KERNELS_DSP_DETECTION_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kDetectionPostprocessKernel{"detectionPostprocess", 61};
inline constexpr KernelId kBoxTransformKernel{"boxTransform", 62};
inline constexpr KernelId kHeatmapKeypointKernel{"heatmapKeypoint", 65};

struct DetectionPostprocessParameters {
  uint32_t batches = 1, anchors = 1, classes = 1, coordinates = 4;
  float scaleY = 1, scaleX = 1, scaleH = 1, scaleW = 1; ///< positive
  uint32_t regular = 0;                                 ///< 0 or 1
  uint32_t maxDetections = 1;                           ///< boxes
  uint32_t maxClasses = 1;                              ///< of a box, unless `regular`
  uint32_t maxPerClass = 1;                             ///< boxes of a class, if `regular`
  float scoreThreshold = 0;                             ///< results have scores above
  float overlapThreshold = 0;                           ///< boxes exclude each other if their overlap is above
  uint32_t background = 0;                              ///< 1: class 0 is no object
  uint32_t firstLabel = 0;                              ///< number of the first class that is an object
  /// 1, as in TFLite: a score at the threshold is a result, boxes at the threshold do not exclude each other, and
  /// `numbers` counts boxes. 0, as in NNAPI: the opposite, and `numbers` counts results.
  uint32_t tfliteRules = 0;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("batches", self.batches);
    visit("anchors", self.anchors);
    visit("classes", self.classes);
    visit("coordinates", self.coordinates);
    visit("scaleY", self.scaleY);
    visit("scaleX", self.scaleX);
    visit("scaleH", self.scaleH);
    visit("scaleW", self.scaleW);
    visit("regular", self.regular);
    visit("maxDetections", self.maxDetections);
    visit("maxClasses", self.maxClasses);
    visit("maxPerClass", self.maxPerClass);
    visit("scoreThreshold", self.scoreThreshold);
    visit("overlapThreshold", self.overlapThreshold);
    visit("background", self.background);
    visit("firstLabel", self.firstLabel);
    visit("tfliteRules", self.tfliteRules);
  }
};

struct BoxTransformParameters {
  uint32_t boxes = 1, classes = 1, images = 1;
  float boxScale = 1, offsetScale = 1, imageScale = 1, resultScale = 1;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("boxes", self.boxes);
    visit("classes", self.classes);
    visit("images", self.images);
    visit("boxScale", self.boxScale);
    visit("offsetScale", self.offsetScale);
    visit("imageScale", self.imageScale);
    visit("resultScale", self.resultScale);
  }
};

struct HeatmapKeypointParameters {
  uint32_t boxes = 1;
  uint32_t size = 2; ///< at least 2
  uint32_t points = 1;
  float heatScale = 1, boxScale = 1, scoreScale = 1, positionScale = 1;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("boxes", self.boxes);
    visit("size", self.size);
    visit("points", self.points);
    visit("heatScale", self.heatScale);
    visit("boxScale", self.boxScale);
    visit("scoreScale", self.scoreScale);
    visit("positionScale", self.positionScale);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_DETECTION_H
