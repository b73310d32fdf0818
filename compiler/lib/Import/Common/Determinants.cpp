//===- Determinants.cpp - Determinants of small matrices --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Determinants.h"

#include "Formula.h"
#include "Moves.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Determinants of matrices by minors of their last rows, of which each set of columns has one.
class Minors {
public:
  Minors(ImportedOperation &op, Value matrices) : op_(op), matrices_(matrices), f_(op, elementOf(matrices)) {}

  Value of(uint32_t columns) {
    Value &minor = known_[columns];
    if (minor)
      return minor;
    const int64_t row = shapeOf(matrices_).back() - llvm::popcount(columns);
    bool isNegative = false;
    for (uint32_t rest = columns; rest; rest &= rest - 1, isNegative = !isNegative) {
      const uint32_t others = columns & ~(rest & (0 - rest));
      Value product = element(row, llvm::countr_zero(rest));
      if (others)
        product = f_.mul(product, of(others));
      minor = !minor ? product : isNegative ? f_.sub(minor, product) : f_.add(minor, product);
      if (!minor)
        return {};
    }
    return minor;
  }

private:
  Value element(int64_t row, int64_t column) {
    const ArrayRef<int64_t> shape = shapeOf(matrices_);
    SmallVector<int64_t> begin(shape.size(), 0), extents(shape);
    begin.end()[-2] = row;
    begin.back() = column;
    extents.end()[-2] = extents.back() = 1;
    return reshape(op_, slice(op_, matrices_, begin, extents), shape.drop_back(2));
  }

  ImportedOperation &op_;
  Value matrices_;
  Formula f_;
  std::map<uint32_t, Value> known_;
};

} // namespace

Value determinants(ImportedOperation &op, Value matrices) {
  return Minors(op, matrices).of((1u << shapeOf(matrices).back()) - 1);
}

} // namespace avocet::compiler
