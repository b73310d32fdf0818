//===- LabelScore.h - Answers of a classifier against labels ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_LABELSCORE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_LABELSCORE_H

#include "Accuracy.h"
#include "avocet/cache/ModelCache.h"

#include <span>

namespace avocet::tool {

/// Counts of right answers among the best, and of all pairs of label and answer. Of equal scores, the one with the
/// lower number is better.
class LabelScore {
public:
  explicit LabelScore(size_t numClasses) : matrix_(numClasses) {}

  /// `label` is below the number of classes, which is that of the operand's elements.
  void add(const cache::OperandView &operand, std::span<const uint8_t> scores, size_t label);

  uint64_t count() const { return matrix_.numAll(); }
  double top1() const { return matrix_.accuracy(); } ///< from 0 to 1
  double top5() const;
  const ConfusionMatrix &matrix() const { return matrix_; }

private:
  ConfusionMatrix matrix_;
  uint64_t amongFive_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_LABELSCORE_H
