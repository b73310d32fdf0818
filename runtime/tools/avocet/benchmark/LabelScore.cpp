//===- LabelScore.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LabelScore.h"

#include "avocet/session/Tensors.h"

namespace avocet::tool {

void LabelScore::add(const cache::OperandView &operand, std::span<const uint8_t> scores, size_t label) {
  constexpr size_t kFive = 5;
  const double labelScore = session::realValue(operand, scores, label);
  size_t better = 0, answer = 0;
  double most = session::realValue(operand, scores, 0);
  for (size_t i = 0; i < matrix_.numClasses(); ++i) {
    const double score = session::realValue(operand, scores, i);
    better += score > labelScore || (score == labelScore && i < label);
    if (score > most) {
      answer = i;
      most = score;
    }
  }
  matrix_.add(label, answer);
  amongFive_ += better < kFive;
}

double LabelScore::top5() const {
  return count() == 0 ? 0 : static_cast<double>(amongFive_) / static_cast<double>(count());
}

} // namespace avocet::tool
