//===- Answers.cpp - The best classes of an output --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Answers.h"

#include "avocet/base/File.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace avocet::session {

std::vector<Answer> bestAnswers(const cache::OperandView &output, std::span<const uint8_t> bytes,
                                const std::vector<std::string> &labels, size_t count) {
  std::vector<double> scores(bytes.size() / sizeOf(output.type));
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = realValue(output, bytes, i);
    if (std::isnan(scores[i]))
      scores[i] = -std::numeric_limits<double>::infinity();
  }
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  std::vector<Answer> answers;
  for (auto label = order.begin(); label != end; ++label)
    answers.push_back(
        {*label, *label < labels.size() ? labels[*label] : std::to_string(*label), realValue(output, bytes, *label)});
  return answers;
}

std::vector<std::string> splitLabels(std::string_view text) {
  std::vector<std::string> labels;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    labels.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return labels;
}

Result<std::vector<std::string>> readLabels(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  return splitLabels(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

} // namespace avocet::session
