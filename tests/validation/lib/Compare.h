//===- Compare.h - Compares outputs with expected values --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_COMPARE_H
#define AVOCET_VALIDATION_COMPARE_H

#include "avocet/hal/vectors/TestCase.h"

#include <span>
#include <string>

namespace avocet::hal::conformance {

/// Element `index` of dense values as a number; 0 for types without values.
double elementAt(OperandType type, std::span<const uint8_t> bytes, size_t index);

/// Empty, or the first element that breaks the rule and the number of such elements: "output 0 [3]: actual 2, expected
/// 1, ...". All values in double precision; a NaN is never right. `actual` has the size of expected.bytes.
std::string compareValues(size_t output, const ExpectedOutput &expected, std::span<const uint8_t> actual);

/// The same for draws of RANDOM_MULTINOMIAL: `logits` are of type `logitType`, [rows, classes].
std::string compareDraws(size_t output, const ExpectedOutput &expected, std::span<const uint8_t> actual,
                         OperandType logitType, std::span<const uint8_t> logits, double tolerance);

/// Empty, or the first place where `actual` is not `reference` with each byte XORed with `flip`.
std::string compareBits(size_t output, std::span<const uint8_t> reference, std::span<const uint8_t> actual,
                        uint8_t flip);

/// "[2x3]"
std::string shapeText(const std::vector<uint32_t> &dimensions);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_COMPARE_H
