//===- Normalizations.cpp - Operands of normalisations and softmax --------===//
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

static constexpr Form kL2Normalization[] = {{"t", "t", V1_0}, {"tI", "t", V1_2}};
static constexpr Form kLocalResponse[] = {{"tIFFF", "t", V1_0}, {"tIFFFI", "t", V1_2}};
static constexpr Form kSoftmax[] = {{"tF", "t", V1_0}, {"tFI", "t", V1_2}};
static constexpr Form kInstance[] = {{"tFFFB", "t", V1_2}};
static constexpr Form kLogSoftmax[] = {{"tFI", "t", V1_2}};

static constexpr OperationSignature kRows[] = {
    {L2Normalization, "f1 h3 u3 s4", kL2Normalization, 0, checkRankFour},
    {LocalResponseNormalization, "f1 h3", kLocalResponse, 0, checkRankFour},
    {Softmax, "f1 u1 h3 s4", kSoftmax, 0, checkSoftmaxRank},
    {InstanceNormalization, "f3 h3", kInstance},
    {LogSoftmax, "f3 h3", kLogSoftmax},
};

std::span<const OperationSignature> normalizationSignatures() { return kRows; }

} // namespace avocet::hal
