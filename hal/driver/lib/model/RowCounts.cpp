//===- RowCounts.cpp - Outputs whose rows depend on data --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/RowCounts.h"

#include "device/HalResult.h"

#include <fmt/core.h>

namespace avocet::hal {

static bool isCount(const cache::OperandView &operand) {
  return operand.type == firmware::DataType::Int32 && operand.bytes == sizeof(int32_t);
}

Result<RowCounts> RowCounts::of(const cache::ModelCache &program, size_t numOutputs) {
  RowCounts rows;
  rows.counts_.resize(numOutputs);
  size_t output = 0;
  for (size_t count = numOutputs; count < program.numOutputs() - program.numStates(); ++count, ++output) {
    const cache::OperandView operand = program.output(count);
    while (output < numOutputs && operand.name != fmt::format("output{}.rows", output))
      ++output;
    if (output == numOutputs || !isCount(operand) || program.output(output).shape.empty())
      return generalFailure(
          fmt::format("output {} of the program is neither one of the model nor a number of rows", count));
    rows.counts_[output] = count;
    rows.isEmpty_ = false;
  }
  return rows;
}

} // namespace avocet::hal
