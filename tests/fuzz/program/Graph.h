//===- Graph.h - Models with known answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_PROGRAM_GRAPH_H
#define AVOCET_TESTS_FUZZ_PROGRAM_GRAPH_H

#include "Bytes.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::fuzz {

/// A model over FLOAT32 vectors of one length: value = step(... step(a + b)), or an IF or WHILE. Its numbers are small
/// integers, so that every device computes them exactly, in float16 too.
struct Graph {
  enum class Kind { Chain, If, While };
  struct Step {
    int32_t operation = 0; ///< ADD, SUB, MUL, MAXIMUM, MINIMUM with a constant; RELU, ABS without
    float constant = 0;
  };

  Kind kind = Kind::Chain;
  uint32_t length = 2;
  bool isOpen = false; ///< the length is unknown to the model
  bool isRelaxed = false, isReversed = false, hasMemory = false;
  std::vector<Step> steps;
  std::shared_ptr<const Graph> yes, no;

  /// The condition of an IF, then a and b. A WHILE has a only.
  size_t numInputs() const { return kind == Kind::If ? 3 : kind == Kind::While ? 1 : 2; }
  bool isCondition(size_t input) const { return kind == Kind::If && input == 0; }
  size_t inputBytes(size_t input) const { return isCondition(input) ? 1 : length * sizeof(float); }
  size_t outputBytes() const { return length * sizeof(float); }

  std::vector<float> evaluate(const std::vector<std::vector<uint8_t>> &inputs) const;
  /// A WHILE whose limit is infinite. It has no values.
  bool isEndless() const;
  /// Different for graphs that differ.
  std::string fingerprint() const;
};

/// The tensor's elements.
std::vector<float> floatsOf(const std::vector<uint8_t> &bytes);

std::shared_ptr<const Graph> chooseGraph(Bytes &bytes, bool mayBranch = true);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_PROGRAM_GRAPH_H
