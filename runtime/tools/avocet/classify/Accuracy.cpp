//===- Accuracy.cpp - Accuracy of a classifier ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accuracy.h"

#include "avocet/session/Answers.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace avocet::tool {

uint64_t ConfusionMatrix::numCorrect() const {
  uint64_t correct = 0;
  for (size_t i = 0; i < numClasses_; ++i)
    correct += count(i, i);
  return correct;
}

uint64_t ConfusionMatrix::numAll() const { return std::accumulate(counts_.begin(), counts_.end(), uint64_t(0)); }

double ConfusionMatrix::accuracy() const {
  uint64_t all = numAll();
  return all == 0 ? 0 : static_cast<double>(numCorrect()) / static_cast<double>(all);
}

std::string ConfusionMatrix::toString(const std::vector<std::string> &classNames) const {
  TextTable table;
  table.addColumn("is \\ answered", TextTable::Align::Left, 16).cutTo(8);
  for (size_t i = 0; i < numClasses_; ++i)
    table.addColumn(classNames[i], TextTable::Align::Right, 10).cutTo(6);
  table.addColumn("right", TextTable::Align::Right);
  for (size_t label = 0; label < numClasses_; ++label) {
    std::vector<std::string> cells = {classNames[label]};
    uint64_t all = 0;
    for (size_t answer = 0; answer < numClasses_; ++answer) {
      all += count(label, answer);
      cells.push_back(count(label, answer) == 0 ? "." : std::to_string(count(label, answer)));
    }
    double right = all == 0 ? 0 : static_cast<double>(count(label, label)) / static_cast<double>(all);
    cells.push_back(all == 0 ? "-" : fmt::format("{:.1f}%", 100 * right));
    table.addRow(std::move(cells));
  }
  return table.toString();
}

void LabelScore::add(const cache::OperandView &operand, std::span<const uint8_t> scores, size_t label) {
  constexpr size_t kFive = 5;
  const std::vector<session::Answer> best = session::bestAnswers(operand, scores, {}, kFive);
  matrix_.add(label, best.front().label);
  amongFive_ += std::ranges::count(best, label, &session::Answer::label);
}

double LabelScore::top5() const {
  return count() == 0 ? 0 : static_cast<double>(amongFive_) / static_cast<double>(count());
}

} // namespace avocet::tool
