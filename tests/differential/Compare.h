//===- Compare.h - Differences of two tensors -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_COMPARE_H
#define AVOCET_TESTS_DIFFERENTIAL_COMPARE_H

#include "Model.h"

namespace avocet::differential {

/// How far a tensor may be from the expected one.
struct Tolerance {
  float real = 0;    ///< floats: |y - expected| <= real * max(1, max|expected|); 0: equal
  int32_t steps = 0; ///< integers
};

/// Empty if `found` is as expected, otherwise a sentence with the number of differences and the first of them.
std::string compare(TensorType type, const Bytes &found, const Bytes &expected, const Tolerance &tolerance);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_COMPARE_H
