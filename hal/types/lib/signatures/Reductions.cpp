//===- Reductions.cpp - Operands of reductions ----------------------------===//
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

static constexpr Form kMean[] = {{"tiI", "t", V1_1}};
static constexpr Form kReduce[] = {{"tiB", "t", V1_2}};
static constexpr Form kArgument[] = {{"tI", "i", V1_2}};

static constexpr OperationSignature kRows[] = {
    {Mean, "f2 u2 h3 s4", kMean},
    {Argmax, "f3 h3 i3 u3 s3", kArgument},
    {Argmin, "f3 h3 i3 u3 s3", kArgument},
    {ReduceAll, "b3", kReduce},
    {ReduceAny, "b3", kReduce},
    {ReduceMax, "f3 h3 u3 s4", kReduce},
    {ReduceMin, "f3 h3 u3 s4", kReduce},
    {ReduceProd, "f3 h3", kReduce},
    {ReduceSum, "f3 h3", kReduce},
};

std::span<const OperationSignature> reductionSignatures() { return kRows; }

} // namespace avocet::hal
