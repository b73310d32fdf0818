//===- PartCases.h - A command of every DSP kernel ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_YIELD_PARTCASES_H
#define AVOCET_TESTS_COMPILER_YIELD_PARTCASES_H

#include "KernelTestSupport.h"

#include <functional>
#include <string>
#include <vector>

namespace avocet::compiler {

/// Makes the operands of a command in a test's SRAM.
class Operands {
public:
  Operands(kernels::TestSram &sram, kernels::Random &random, uint32_t bytes, bool isFilled)
      : bytes(bytes), isFilled_(isFilled), sram_(sram), random_(random) {}

  /// The approximate size of all operands of the command together.
  const uint32_t bytes;

  /// A new operand. With isFilled, it has random values and, from any(), gaps between rows and pixels.
  firmware::FeatureMap any(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels);
  firmware::FeatureMap dense(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels);
  /// A float32 matrix as a map of height 1.
  firmware::FeatureMap matrix(uint32_t rows, uint32_t columns) {
    return any(firmware::DataType::Float32, 1, rows, columns);
  }

private:
  firmware::FeatureMap make(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels,
                            kernels::Placement placement);

  bool isFilled_;
  kernels::TestSram &sram_;
  kernels::Random &random_;
};

struct PartCase {
  std::string name;
  std::function<firmware::DspCommand(Operands &operands)> make;
  /// Limit of the longest piece on any target, in microseconds, if operands fill SRAM; 40 if any split is possible.
  double mostUs = 40;
};

/// A case for every kernel, and for each way of splitting a kernel that has several forms.
std::vector<PartCase> partCases();

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_YIELD_PARTCASES_H
