//===- Accuracy.h - Accuracy of a classifier --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts of a classifier's answers against the labels.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_ACCURACY_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_ACCURACY_H

#include "avocet/cache/ModelCache.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

class ConfusionMatrix {
public:
  explicit ConfusionMatrix(size_t numClasses) : numClasses_(numClasses), counts_(numClasses * numClasses) {}

  /// Both below numClasses().
  void add(size_t label, size_t answer) { ++counts_[label * numClasses_ + answer]; }

  size_t numClasses() const { return numClasses_; }
  uint64_t count(size_t label, size_t answer) const { return counts_[label * numClasses_ + answer]; }
  uint64_t numCorrect() const;
  uint64_t numAll() const;
  double accuracy() const; ///< 0 to 1; 0 without any answers

  /// A table with a row for each label and a column for each answer, and how many of each label were right.
  std::string toString(const std::vector<std::string> &classNames) const;

private:
  size_t numClasses_;
  std::vector<uint64_t> counts_;
};

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

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_ACCURACY_H
