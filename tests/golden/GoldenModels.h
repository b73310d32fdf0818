//===- GoldenModels.h - Networks with known outputs -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The networks that the golden tests run: the tree's own digits network in both types, and those in the folders of
// AVOCET_SHARED_DATA/models if that folder exists.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_GOLDENMODELS_H
#define AVOCET_TESTS_GOLDEN_GOLDENMODELS_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::golden {

using Bytes = std::vector<uint8_t>;

/// How far an output may be from its golden.
enum class Rule {
  Exact,  ///< every byte equal
  Float,  ///< |y - golden| <= 1e-5 * max(1, max|golden|) over the output
  Hybrid, ///< |y - golden| <= 0.15 (the run-time scale depends on the implementation)
};

/// One inference; raw tensors in graph order.
struct GoldenCase {
  std::string id;
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs;
  bool sameArgmax = false; ///< the largest element must be at the golden's index, with Float and Hybrid
};

struct GoldenModel {
  std::string name;   ///< also the test's name: letters, digits and underscores
  std::string folder; ///< with model.tflite, manifest.json and cases; empty for the digits network
  std::string path;   ///< the .tflite file
  Rule rule = Rule::Exact;
};

/// All networks, the digits ones first, the others by name.
std::vector<GoldenModel> goldenModels();

/// A network of kernels over large operands, tests/golden/long-kernels.mlir. It has one case, without outputs.
GoldenModel longKernels();

/// The cases of a network. DataLoss or NotFound names the file.
Result<std::vector<GoldenCase>> loadCases(const GoldenModel &model);

/// Empty if `output` meets the rule, otherwise the first difference. Exact also counts the bytes that differ.
std::string compare(Rule rule, const Bytes &output, const Bytes &golden, bool sameArgmax);

/// Pixels and labels of the digits network's test set (tests/models/digits).
struct DigitSet {
  std::vector<Bytes> images; ///< 784 bytes each
  Bytes labels;
};
Result<DigitSet> loadDigits();

/// A digits image as the input of the int8 or of the float32 network.
Bytes digitInput(const Bytes &pixels, bool asFloat);

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_GOLDENMODELS_H
