//===- Windows.cpp - Operands of convolutions and poolings ----------------===//
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

// Implicit padding first, then explicit; each with the layout flag, then with two dilation factors.
static constexpr Form kConv[] = {{"twcI4", "t", V1_0}, {"twcI4B", "t", V1_2}, {"twcI4BI2", "t", V1_2},
                                 {"twcI7", "t", V1_0}, {"twcI7B", "t", V1_2}, {"twcI7BI2", "t", V1_2}};
static constexpr Form kDepthwise[] = {{"twcI5", "t", V1_0}, {"twcI5B", "t", V1_2}, {"twcI5BI2", "t", V1_2},
                                      {"twcI8", "t", V1_0}, {"twcI8B", "t", V1_2}, {"twcI8BI2", "t", V1_2}};
static constexpr Form kGrouped[] = {{"twcI5B", "t", V1_2}, {"twcI8B", "t", V1_2}};
static constexpr Form kTransposed[] = {{"twciI4B", "t", V1_2}, {"twcI7B", "t", V1_2}};
static constexpr Form kPool[] = {{"tI6", "t", V1_0}, {"tI6B", "t", V1_2}, {"tI9", "t", V1_0}, {"tI9B", "t", V1_2}};
static constexpr Form kFullyConnected[] = {{"ttcI", "t", V1_0}};
static constexpr Form kBatchMatmul[] = {{"ttBB", "t", AidlV2}};

static constexpr OperationSignature kRows[] = {
    {AveragePool2d, "f1 u1 h3 s4", kPool},
    {Conv2d, "f1 u1 h3 s4", kConv, 0, checkConv},
    {DepthwiseConv2d, "f1 u1 h3 s4", kDepthwise, 0, checkDepthwiseConv},
    {FullyConnected, "f1 u1 h3 s4", kFullyConnected, 0, checkFullyConnected},
    {L2Pool2d, "f1 h3", kPool},
    {MaxPool2d, "f1 u1 h3 s4", kPool},
    {GroupedConv2d, "f3 h3 u3 s4", kGrouped, 0, checkOutputChannelScales},
    {TransposeConv2d, "f3 h3 u3 s4", kTransposed, 0, checkOutputChannelScales},
    {BatchMatmul, "f6 h6 s6 i6", kBatchMatmul},
};

std::span<const OperationSignature> windowSignatures() { return kRows; }

} // namespace avocet::hal
