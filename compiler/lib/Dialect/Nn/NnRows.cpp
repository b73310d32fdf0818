//===- NnRows.cpp - Rows of results from rows of operands -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnRows.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler::nn {

RowRule keepRows(OpenOperands open, std::initializer_list<size_t> operands) {
  for (auto [operand, isOpen] : llvm::enumerate(open))
    if (isOpen != llvm::is_contained(operands, operand))
      return std::nullopt;
  return RowRatio();
}

RowRule keepRowsBeside(OpenOperands open, ArrayRef<int64_t> axes) {
  return llvm::is_contained(axes, 0) ? std::nullopt : keepRows(open, {0});
}

RowRule keepBroadcastRows(Operation *op, OpenOperands open) {
  const ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  for (auto [operand, isOpen] : llvm::zip(op->getOperands(), open)) {
    const ArrayRef<int64_t> shape = shapeOf(operand);
    const bool isAligned = shape.size() == result.size();
    if (isOpen ? !isAligned : isAligned && !shape.empty() && shape.front() != 1)
      return std::nullopt;
  }
  return RowRatio();
}

RowRule regroupRows(Value input, Value result, OpenOperands open) {
  if (!keepRows(open, {0}) || shapeOf(result).empty())
    return std::nullopt;
  const int64_t read = shapeOf(input).front(), made = shapeOf(result).front(), common = std::gcd(read, made);
  const RowRatio ratio{made / common, read / common};
  return ratio.made == 1 || ratio.read == 1 ? RowRule(ratio) : std::nullopt;
}

} // namespace avocet::compiler::nn
