//===- Elementwise.cpp - Operands of the elementwise operations -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum Version;

static constexpr Form kUnary[] = {{"t", "t", V1_0}};
static constexpr Form kBinary[] = {{"tt", "t", V1_2}};
static constexpr Form kFusedBinary[] = {{"ttI", "t", V1_0}};
static constexpr Form kLaterFusedBinary[] = {{"ttI", "t", V1_1}};
static constexpr Form kComparison[] = {{"tt", "b", V1_2}};
static constexpr Form kSelect[] = {{"btt", "t", V1_2}};
static constexpr Form kDequantize[] = {{"t", "f", V1_0}, {"t", "h", V1_2}};
static constexpr Form kQuantize[] = {{"t", "u", V1_2}, {"t", "s", V1_3}};
static constexpr Form kCast[] = {{"t", "a", V1_2}};

static constexpr OperationSignature kRows[] = {
    {0, "ADD", "f1 u1 h3 s4 i4", kFusedBinary, 0, 4},
    {6, "DEQUANTIZE", "u1 s3 y3 p3", kDequantize, 0, 4},
    {8, "FLOOR", "f1 h3", kUnary, 0, 4},
    {18, "MUL", "f1 u1 h3 s4 i4", kFusedBinary, 0, 4, checkProductScale},
    {30, "DIV", "f2 h3 i4", kLaterFusedBinary, 0, 4},
    {36, "SUB", "f2 u3 h3 s4 i4", kLaterFusedBinary, 0, 4},
    {38, "ABS", "f3 h3 i4", kUnary},
    {45, "CAST", "f3 h3 i3 u3 b4 Q4 q4 s4 y4", kCast, 0, 0, checkCast},
    {48, "EQUAL", "b3 f3 h3 i3 u3 s4", kComparison},
    {49, "EXP", "f3 h3", kUnary},
    {53, "GREATER", "b3 f3 h3 i3 u3 s4", kComparison},
    {54, "GREATER_EQUAL", "b3 f3 h3 i3 u3 s4", kComparison},
    {58, "LESS", "b3 f3 h3 i3 u3 s4", kComparison},
    {59, "LESS_EQUAL", "b3 f3 h3 i3 u3 s4", kComparison},
    {60, "LOG", "f3 h3", kUnary},
    {61, "LOGICAL_AND", "b3", kBinary},
    {62, "LOGICAL_NOT", "b3", kUnary},
    {63, "LOGICAL_OR", "b3", kBinary},
    {65, "MAXIMUM", "f3 h3 i3 u3 s4", kBinary},
    {66, "MINIMUM", "f3 h3 i3 u3 s4", kBinary},
    {67, "NEG", "f3 h3 i3", kUnary},
    {68, "NOT_EQUAL", "b3 f3 h3 i3 u3 s4", kComparison},
    {70, "POW", "f3 h3", kBinary},
    {71, "PRELU", "f3 h3 u3 s4", kBinary},
    {72, "QUANTIZE", "f3 h3", kQuantize},
    {83, "RSQRT", "f3 h3 u7 s7", kUnary},
    {84, "SELECT", "f3 h3 i3 u3 s3", kSelect, 1},
    {85, "SIN", "f3 h3", kUnary},
    {88, "SQRT", "f3 h3", kUnary},
};

std::span<const OperationSignature> elementwiseSignatures() { return kRows; }

} // namespace avocet::hal
