//===- Answers.h - The best classes of an output ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_ANSWERS_H
#define AVOCET_SESSION_ANSWERS_H

#include "avocet/cache/ModelCache.h"

#include <string>
#include <vector>

namespace avocet::session {

struct Answer {
  size_t label = 0; ///< element of the output
  std::string name; ///< of the class; its number if it has none
  double score = 0; ///< dequantized
};

/// The `count` elements of an output with the greatest values, or all if it has fewer, the best first; of equal ones
/// the lower label first. NaN is below all others.
std::vector<Answer> bestAnswers(const cache::OperandView &output, std::span<const uint8_t> bytes,
                                const std::vector<std::string> &labels, size_t count);

/// Names of classes, one in each line.
Result<std::vector<std::string>> readLabels(const std::string &path);
std::vector<std::string> splitLabels(std::string_view text);

} // namespace avocet::session

#endif // AVOCET_SESSION_ANSWERS_H
