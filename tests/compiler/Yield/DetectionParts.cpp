//===- DetectionParts.cpp - Commands on boxes and regions -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Regions.h"
#include "avocet/kernels/dsp/Scan.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Sort.h"

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand topK(Operands &o) {
  const uint32_t n = rows(o, 20 + 3 * 8);
  return commandOf("topK", {o.dense(kF32, n, 1, 5)}, {o.dense(kF32, n, 1, 3), o.dense(kI32, n, 1, 3)},
                   TopKParameters{n, 5, 3});
}

DspCommand detections(Operands &o, uint32_t regular) {
  const uint32_t n = rows(o, 4 * (4 * (3 + 4) + 2 * 6 + 1));
  DetectionPostprocessParameters p;
  p.batches = n;
  p.anchors = 4;
  p.classes = 3;
  p.regular = regular;
  p.maxDetections = 2;
  p.scoreThreshold = -1;
  p.overlapThreshold = 0.3f;
  p.background = 1;
  return commandOf("detectionPostprocess", {o.dense(kF32, n, 4, 3), o.dense(kF32, n, 4, 4), o.dense(kF32, 1, 4, 4)},
                   {o.dense(kF32, n, 1, 2), o.dense(kF32, n, 2, 4), o.dense(kI32, n, 1, 2), o.dense(kI32, 1, 1, n)}, p);
}

DspCommand detectionsByClass(Operands &o) { return detections(o, 1); }
DspCommand detectionsByBox(Operands &o) { return detections(o, 0); }

DspCommand boxTransform(Operands &o) {
  const uint32_t n = rows(o, 4 * (4 + 8 + 1 + 8));
  BoxTransformParameters p{.boxes = n, .classes = 2, .images = 3};
  return commandOf("boxTransform",
                   {o.dense(kF32, 1, n, 4), o.dense(kF32, 1, n, 8), o.dense(kI32, 1, 1, n), o.dense(kF32, 1, 3, 2)},
                   {o.dense(kF32, 1, n, 8)}, p);
}

DspCommand heatmapKeypoint(Operands &o) {
  const uint32_t n = rows(o, 4 * (9 * 2 + 4 + 6));
  HeatmapKeypointParameters p{.boxes = n, .size = 3, .points = 2};
  return commandOf("heatmapKeypoint", {o.dense(kF32, 3 * n, 3, 2), o.dense(kF32, 1, n, 4)},
                   {o.dense(kF32, 1, n, 2), o.dense(kF32, n, 2, 2)}, p);
}

DspCommand regions(Operands &o, RegionKind kind) {
  const uint32_t n = rows(o, 4 * 5 + 4 * 2);
  RegionsParameters p;
  p.kind = kind;
  p.batches = 2, p.height = 5, p.width = 4, p.channels = 2;
  p.regions = n, p.outputHeight = p.outputWidth = 2;
  return commandOf("regions", {o.dense(kI8, 10, 4, 2), o.dense(kF32, 1, n, 4), o.dense(kI32, 1, 1, n)},
                   {o.dense(kI8, 2 * n, 2, 2)}, p);
}

DspCommand largestOfRegions(Operands &o) { return regions(o, RegionKind::Largest); }
DspCommand meanOfRegions(Operands &o) { return regions(o, RegionKind::Mean); }

DspCommand gatherNd(Operands &o) {
  const uint32_t n = rows(o, 8 + 12);
  return commandOf("gatherNd", {o.dense(kF32, 4, 5, 3), o.dense(kI32, 1, n, 2)}, {o.dense(kF32, 1, n, 3)},
                   SliceTable{n, 2, 3, {4, 5}});
}

DspCommand scatter(Operands &o) {
  const uint32_t n = rows(o, 8 + 12);
  return commandOf("scatter", {o.dense(kI32, 4, 5, 3), o.dense(kI32, 1, n, 2), o.dense(kI32, 1, n, 3)},
                   {o.dense(kI32, 4, 5, 3)}, ScatterParameters{{n, 2, 3, {4, 5}}, ScatterKind::Sum});
}

/// Rows 1 to 4 of a table of 9; continues the results, or the table, of a section before.
DspCommand inSection(DspCommand command) {
  for (uint32_t word : packParameters(Section{0, 0, 1, 9}))
    command.parameters.push_back(word);
  return command;
}

DspCommand gatherNdInSection(Operands &o) {
  const uint32_t n = rows(o, 8 + 24);
  return inSection(commandOf("gatherNd", {o.dense(kF32, 1, 1, 60), o.dense(kI32, 1, n, 2), o.dense(kF32, 1, n, 3)},
                             {o.dense(kF32, 1, n, 3)}, SliceTable{n, 2, 3, {4, 5}}));
}

DspCommand scatterInSection(Operands &o) {
  const uint32_t n = rows(o, 8 + 12);
  return inSection(commandOf("scatter", {o.dense(kI32, 1, n, 2), o.dense(kI32, 1, n, 3), o.dense(kI32, 4, 5, 3)},
                             {o.dense(kI32, 4, 5, 3)}, ScatterParameters{{n, 2, 3, {4, 5}}, ScatterKind::Sum}));
}

DspCommand cumulativeSum(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 64);
  return commandOf("cumulativeSum", {o.any(kF32, n, 2, 32)}, {o.any(kF32, n, 2, 32)},
                   CumulativeSumParameters{{0, 32, 1}, 0, 1});
}

} // namespace

std::vector<PartCase> detectionParts() {
  return {{"topK", topK},
          {"detectionsByClass", detectionsByClass},
          {"detectionsByBox", detectionsByBox},
          {"gatherNd", gatherNd},
          {"scatter", scatter},
          {"gatherNdInSection", gatherNdInSection},
          {"scatterInSection", scatterInSection},
          {"cumulativeSum", cumulativeSum},
          {"boxTransform", boxTransform},
          {"heatmapKeypoint", heatmapKeypoint},
          {"largestOfRegions", largestOfRegions},
          {"meanOfRegions", meanOfRegions}};
}

} // namespace avocet::compiler
