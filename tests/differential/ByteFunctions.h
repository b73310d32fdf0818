//===- ByteFunctions.h - 8-bit functions of all inputs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of one 8-bit number have 256 inputs, so that all of them can be tried with many scales. What is expected
// follows from the reference kernels' definition (Reference.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_BYTEFUNCTIONS_H
#define AVOCET_TESTS_DIFFERENTIAL_BYTEFUNCTIONS_H

#include "Model.h"

#include <optional>
#include <span>
#include <string>

namespace avocet::differential {

/// One case: how the operator's input and result are quantized, and the slope of LEAKY_RELU.
struct ByteCase {
  Element from, to;
  float alpha = 0;
};

/// How results are quantized.
enum class ByteResult { Any, Unit, SymmetricUnit };

struct ByteFunction {
  const char *name; ///< of the operator, with its form
  BuiltinOperator code;
  /// The stored result, before it is clamped to the type; none: the reference does not define it, or refuses the input.
  std::optional<int64_t> (*stored)(int64_t input, const ByteCase &c);
  ByteResult result = ByteResult::Any;
  std::vector<TensorType> inputs = {TensorType::INT8, TensorType::UINT8};
  bool changesType = false;     ///< results may be of the other 8-bit type
  bool isApproximation = false; ///< option of GELU
};

std::span<const ByteFunction> byteFunctions();

/// Compares `count` random scales of a function, all 256 inputs of each, on one target: a sentence with the first
/// difference, empty if there is none.
std::string compareByteFunction(const ByteFunction &function, const std::string &target, uint64_t seed, uint32_t count);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_BYTEFUNCTIONS_H
