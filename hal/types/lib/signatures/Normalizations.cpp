//===- Normalizations.cpp - Operands of normalisations and softmax --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum Version;

static constexpr Form kL2Normalization[] = {{"t", "t", V1_0}, {"tI", "t", V1_2}};
static constexpr Form kLocalResponse[] = {{"tIFFF", "t", V1_0}, {"tIFFFI", "t", V1_2}};
static constexpr Form kSoftmax[] = {{"tF", "t", V1_0}, {"tFI", "t", V1_2}};
static constexpr Form kInstance[] = {{"tFFFB", "t", V1_2}};
static constexpr Form kLogSoftmax[] = {{"tFI", "t", V1_2}};

static constexpr OperationSignature kRows[] = {
    {11, "L2_NORMALIZATION", "f1 h3 u3 s4", kL2Normalization, 0, 4, checkRankFour},
    {13, "LOCAL_RESPONSE_NORMALIZATION", "f1 h3", kLocalResponse, 0, 4, checkRankFour},
    {25, "SOFTMAX", "f1 u1 h3 s4", kSoftmax, 0, 4, checkSoftmaxRank},
    {57, "INSTANCE_NORMALIZATION", "f3 h3", kInstance},
    {64, "LOG_SOFTMAX", "f3 h3", kLogSoftmax},
};

std::span<const OperationSignature> normalizationSignatures() { return kRows; }

} // namespace avocet::hal
