//===- Detection.cpp - Operands of the box and region operations ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum Version;

static constexpr Form kBoxTransform[] = {{"tdit", "t", V1_2}};
static constexpr Form kNmsLimit[] = {{"triFIIFFF", "trii", V1_2}};
static constexpr Form kPostprocessing[] = {{"tttF4BI3FFB", "ttii", V1_2}};
static constexpr Form kProposals[] = {{"ttzrFFIIFFB", "tri", V1_2}};
static constexpr Form kKeypoints[] = {{"trB", "tr", V1_2}};
static constexpr Form kRoiAlign[] = {{"triIIFFIIB", "t", V1_2}};
static constexpr Form kRoiPooling[] = {{"triIIFFB", "t", V1_2}};

static constexpr OperationSignature kRows[] = {
    {41, "AXIS_ALIGNED_BBOX_TRANSFORM", "f3 h3 Q3", kBoxTransform},
    {44, "BOX_WITH_NMS_LIMIT", "f3 h3 u3 s4", kNmsLimit},
    {47, "DETECTION_POSTPROCESSING", "f3 h3", kPostprocessing},
    {52, "GENERATE_PROPOSALS", "f3 h3 u3 s4", kProposals},
    {56, "HEATMAP_MAX_KEYPOINT", "f3 h3 u3 s4", kKeypoints},
    {81, "ROI_ALIGN", "f3 h3 u3 s4", kRoiAlign},
    {82, "ROI_POOLING", "f3 h3 u3 s4", kRoiPooling},
};

std::span<const OperationSignature> detectionSignatures() { return kRows; }

} // namespace avocet::hal
