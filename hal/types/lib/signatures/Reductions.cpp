//===- Reductions.cpp - Operands of reductions ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum Version;

static constexpr Form kMean[] = {{"tiI", "t", V1_1}};
static constexpr Form kReduce[] = {{"tiB", "t", V1_2}};
static constexpr Form kArgument[] = {{"tI", "i", V1_2}};

static constexpr OperationSignature kRows[] = {
    {31, "MEAN", "f2 u2 h3 s4", kMean, 0, 4},         {39, "ARGMAX", "f3 h3 i3 u3 s3", kArgument},
    {40, "ARGMIN", "f3 h3 i3 u3 s3", kArgument},      {75, "REDUCE_ALL", "b3", kReduce, 0, 4},
    {76, "REDUCE_ANY", "b3", kReduce, 0, 4},          {77, "REDUCE_MAX", "f3 h3 u3 s4", kReduce, 0, 4},
    {78, "REDUCE_MIN", "f3 h3 u3 s4", kReduce, 0, 4}, {79, "REDUCE_PROD", "f3 h3", kReduce, 0, 4},
    {80, "REDUCE_SUM", "f3 h3", kReduce, 0, 4},
};

std::span<const OperationSignature> reductionSignatures() { return kRows; }

} // namespace avocet::hal
