//===- Elementwise.cpp - Operands of the elementwise operations -----------===//
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
    {Add, "f1 u1 h3 s4 i4", kFusedBinary},
    {Dequantize, "u1 s3 y3 p3", kDequantize},
    {Floor, "f1 h3", kUnary},
    {Mul, "f1 u1 h3 s4 i4", kFusedBinary, 0, checkProductScale},
    {Div, "f2 h3 i4", kLaterFusedBinary},
    {Sub, "f2 u3 h3 s4 i4", kLaterFusedBinary},
    {Abs, "f3 h3 i4", kUnary},
    {Cast, "f3 h3 i3 u3 b4 Q4 q4 s4 y4", kCast, 0, checkCast},
    {Equal, "b3 f3 h3 i3 u3 s4", kComparison},
    {Exp, "f3 h3", kUnary},
    {Greater, "b3 f3 h3 i3 u3 s4", kComparison},
    {GreaterEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Less, "b3 f3 h3 i3 u3 s4", kComparison},
    {LessEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Log, "f3 h3", kUnary},
    {LogicalAnd, "b3", kBinary},
    {LogicalNot, "b3", kUnary},
    {LogicalOr, "b3", kBinary},
    {Maximum, "f3 h3 i3 u3 s4", kBinary},
    {Minimum, "f3 h3 i3 u3 s4", kBinary},
    {Neg, "f3 h3 i3", kUnary},
    {NotEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Pow, "f3 h3", kBinary},
    {Prelu, "f3 h3 u3 s4", kBinary},
    {Quantize, "f3 h3", kQuantize},
    {Rsqrt, "f3 h3 u7 s7", kUnary},
    {Select, "f3 h3 i3 u3 s3", kSelect, 1},
    {Sin, "f3 h3", kUnary},
    {Sqrt, "f3 h3", kUnary},
};

std::span<const OperationSignature> elementwiseSignatures() { return kRows; }

} // namespace avocet::hal
