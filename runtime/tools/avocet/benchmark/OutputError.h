//===- OutputError.h - Differences from a reference -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_OUTPUTERROR_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_OUTPUTERROR_H

#include "avocet/cache/ModelCache.h"

#include <optional>
#include <span>

namespace avocet::tool {

/// How far one output is from a reference, over all cases. Values are real numbers, with scale and zero point applied.
/// Values that are not finite, here or in the reference, are in no sum.
class OutputError {
public:
  /// Both have the operand's bytes.
  void add(const cache::OperandView &operand, std::span<const uint8_t> actual, std::span<const uint8_t> expected);

  uint64_t cases() const { return cases_; }
  uint64_t values() const { return values_; }
  uint64_t equalCases() const { return equalCases_; }   ///< with the same bits
  uint64_t sameLargest() const { return sameLargest_; } ///< cases whose largest value is at the same place
  uint64_t notFinite() const { return notFinite_; }

  /// Values outside the tolerance of NNAPI's test suite: for float32 1e-5 + 5 * 2^-23 * |expected|, for float16 5 *
  /// 2^-10 and the same of |expected|, for integers one step, for bool none. NaN and infinity are always outside.
  uint64_t outside() const { return outside_; }

  /// Share of the values inside it, from 0 to 1.
  double inside() const;

  double maxError() const { return maxError_; }
  double bias() const;       ///< mean of actual - expected
  double meanSquare() const; ///< of actual - expected
  double cosine() const;     ///< of the angle between all actual and all expected values; 1 if both are zero

  /// Peak signal-to-noise ratio in decibels; the peak is the range of the expected values. Nothing without an error, or
  /// without a range.
  std::optional<double> psnr() const;

private:
  void addValue(firmware::DataType type, double step, double actual, double expected);

  uint64_t cases_ = 0, values_ = 0, equalCases_ = 0, sameLargest_ = 0, notFinite_ = 0, outside_ = 0;
  double maxError_ = 0, sum_ = 0, squares_ = 0;
  double product_ = 0, actualSquares_ = 0, expectedSquares_ = 0;
  double least_ = 0, most_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_OUTPUTERROR_H
