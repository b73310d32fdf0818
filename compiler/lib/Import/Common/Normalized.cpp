//===- Normalized.cpp - Mean 0 and variance 1 -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalized.h"

#include "Axes.h"

using namespace mlir;

namespace avocet::compiler {

Normalized normalized(Formula &f, Value x, ArrayRef<int64_t> axes, float epsilon) {
  Value mean = f.mean(x, axes), centred = f.sub(x, mean);
  Value inverse = f.apply(nn::UnaryKind::Rsqrt, f.add(f.mean(f.mul(centred, centred), axes), epsilon));
  return {f.mul(centred, inverse), mean, inverse};
}

Value rmsNormalized(ImportedOperation &op, Value x, int64_t axis, float epsilon) {
  const size_t rank = shapeOf(x).size();
  if (axis + 1 == static_cast<int64_t>(rank))
    return createAs<nn::RmsNormalizeOp>(op, elementOf(x), x, APFloat(epsilon), int64_t(-1));
  Formula f(op, elementOf(x));
  return f.mul(x, f.apply(nn::UnaryKind::Rsqrt, f.add(f.mean(f.mul(x, x), axesFrom(axis, rank)), epsilon)));
}

} // namespace avocet::compiler
