//===- Shapes.cpp - Operands of operations that move elements -------------===//
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

static constexpr Form kConcatenation[] = {{"t+I", "t", V1_0}};
static constexpr Form kBlocks[] = {{"tI", "t", V1_0}, {"tIB", "t", V1_2}};
static constexpr Form kReshape[] = {{"ti", "t", V1_0}};
static constexpr Form kBatchToSpace[] = {{"ti", "t", V1_1}, {"tiB", "t", V1_2}};
static constexpr Form kSpaceToBatch[] = {{"tii", "t", V1_1}, {"tiiB", "t", V1_2}};
static constexpr Form kWithIndices[] = {{"ti", "t", V1_1}};
static constexpr Form kStridedSlice[] = {{"tiiiI3", "t", V1_1}};
static constexpr Form kPadV2[] = {{"tiV", "t", V1_2}};
static constexpr Form kChannelShuffle[] = {{"tII", "t", V1_2}};
static constexpr Form kExpandDims[] = {{"tI", "t", V1_2}};
static constexpr Form kSlice[] = {{"tii", "t", V1_2}};
static constexpr Form kSplit[] = {{"tII", "t+", V1_2}};
static constexpr Form kTile[] = {{"ti", "t", V1_2}};
static constexpr Form kFill[] = {{"iV", "t", V1_3}};
static constexpr Form kRank[] = {{"t", "I", V1_3}};
static constexpr Form kPack[] = {{"It+", "t", AidlV2}};
static constexpr Form kMirrorPad[] = {{"tiI", "t", AidlV3}};
static constexpr Form kReverse[] = {{"ti", "t", AidlV3}};
// Sizes or factors; then the layout flag, aligned corners, half-pixel centres.
static constexpr Form kBilinear[] = {{"tII", "t", V1_0},   {"tFF", "t", V1_2},   {"tIIB", "t", V1_2},
                                     {"tFFB", "t", V1_2},  {"tIIB2", "t", V1_3}, {"tFFB2", "t", V1_3},
                                     {"tIIB3", "t", V1_3}, {"tFFB3", "t", V1_3}};
static constexpr Form kNearest[] = {{"tIIB", "t", V1_2},  {"tFFB", "t", V1_2},  {"tIIB2", "t", V1_3},
                                    {"tFFB2", "t", V1_3}, {"tIIB3", "t", V1_3}, {"tFFB3", "t", V1_3}};

static constexpr OperationSignature kRows[] = {
    {Concatenation, "f1 u1 h3 s4", kConcatenation, 0, checkConcatenation},
    {DepthToSpace, "f1 u1 h3 s4", kBlocks},
    {Reshape, "f1 u1 h3 s4 i6", kReshape},
    {ResizeBilinear, "f1 h3 u3 s4", kBilinear},
    {SpaceToDepth, "f1 u1 h3 s4", kBlocks},
    {BatchToSpaceNd, "f2 u2 h3 s4", kBatchToSpace},
    {Pad, "f2 u2 h3 s4", kWithIndices, 0, checkPaddedZeroPoint},
    {SpaceToBatchNd, "f2 u2 h3 s4", kSpaceToBatch, 0, checkPaddedZeroPoint},
    {Squeeze, "f2 u2 h3 s4", kWithIndices},
    {StridedSlice, "f2 u2 h3 s4", kStridedSlice},
    {Transpose, "f2 u2 h3 s4", kWithIndices},
    {ChannelShuffle, "f3 h3 u3 s4", kChannelShuffle},
    {ExpandDims, "f3 h3 i3 u3 s4", kExpandDims},
    {PadV2, "f3 h3 u3 s4", kPadV2},
    {Slice, "f3 h3 i3 u3 s4", kSlice},
    {Split, "f3 h3 i3 u3 s4", kSplit},
    {Tile, "f3 h3 i3 u3 s4", kTile},
    {ResizeNearestNeighbor, "f3 h3 u3 s4", kNearest},
    {Fill, "f4 h4 i4", kFill, kLeadingOutput},
    {Rank, "f4 h4 i4 u4 q4 b4 p4 Q4 y4 s4", kRank},
    {Pack, "f6 h6 u6 s6 i6", kPack, 1, checkPack},
    {MirrorPad, "f7 h7 u7 s7 i7", kMirrorPad, 0, checkMirrorPad},
    {Reverse, "f7 h7 u7 s7 i7", kReverse, 0, checkReverse},
};

std::span<const OperationSignature> shapeSignatures() { return kRows; }

} // namespace avocet::hal
