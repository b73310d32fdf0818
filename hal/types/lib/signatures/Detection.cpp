//===- Detection.cpp - Operands of the box and region operations ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum OperationType;
using enum Version;

static constexpr Form kBoxTransform[] = {{"tdit", "t", V1_2}};
static constexpr Form kNmsLimit[] = {{"triFIIFFF", "trii", V1_2}};
static constexpr Form kPostprocessing[] = {{"tttF4BI3FFB", "ttii", V1_2}};
static constexpr Form kProposals[] = {{"ttzrFFIIFFB", "tri", V1_2}};
static constexpr Form kKeypoints[] = {{"trB", "tr", V1_2}};
static constexpr Form kRoiAlign[] = {{"triIIFFIIB", "t", V1_2}};
static constexpr Form kRoiPooling[] = {{"triIIFFB", "t", V1_2}};

static constexpr OperationSignature kRows[] = {
    {AxisAlignedBboxTransform, "f3 h3 Q3", kBoxTransform},
    {BoxWithNmsLimit, "f3 h3 u3 s4", kNmsLimit},
    {DetectionPostprocessing, "f3 h3", kPostprocessing},
    {GenerateProposals, "f3 h3 u3 s4", kProposals},
    {HeatmapMaxKeypoint, "f3 h3 u3 s4", kKeypoints},
    {RoiAlign, "f3 h3 u3 s4", kRoiAlign},
    {RoiPooling, "f3 h3 u3 s4", kRoiPooling},
};

std::span<const OperationSignature> detectionSignatures() { return kRows; }

} // namespace avocet::hal
