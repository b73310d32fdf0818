//===- Losses.cpp - Losses of classifiers -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Losses.h"

#include "Axes.h"
#include "Formula.h"
#include "Sequences.h"

using namespace mlir;

namespace avocet::compiler {

/// Whether the target is the class, [N, C, ...].
static Value isTarget(ImportedOperation &op, Value targets, int64_t classes, int64_t ignored) {
  Formula f(op, op.builder().getI32Type());
  targets = castTo(op, targets, op.builder().getI32Type());
  Value hits = isPosition(op, targets, 1, classes);
  if (!hits || ignored < 0 || ignored >= classes)
    return hits;
  Value counts = f.compare(withAxis(op, targets, 1), nn::CompareKind::NotEqual, static_cast<double>(ignored));
  return createPair<nn::LogicalOp>(op, hits, counts, nn::LogicalKind::And);
}

Value likelihoodLoss(ImportedOperation &op, Value logs, Value targets, Value weights, int64_t ignored, LossKind kind) {
  const ArrayRef<int64_t> shape = shapeOf(logs);
  SmallVector<int64_t> samples(shape);
  if (shape.size() >= 2)
    samples.erase(samples.begin() + 1);
  if (shape.size() < 2 || samples != shapeOf(targets) || (weights && shapeOf(weights) != ArrayRef<int64_t>(shape[1])))
    return op.malformed("must have a target for each sample, and a weight for each class");
  Formula f(op, elementOf(logs));
  Value hits = isTarget(op, targets, shape[1], ignored);
  Value weight = weights ? alongAxis(op, weights, shape.size() - 1, 0) : f.constant(1);
  Value losses = f.mul(f.apply(nn::UnaryKind::Neg, f.select(hits, logs, f.constant(0))), weight);
  const SmallVector<int64_t> all = axesFrom(0, shape.size());
  if (kind == LossKind::Each)
    return f.reduce(nn::ReduceKind::Sum, losses, {1}, /*keep=*/false);
  Value sum = f.reduce(nn::ReduceKind::Sum, losses, all, /*keep=*/false);
  if (kind == LossKind::Sum)
    return sum;
  return f.div(sum, f.reduce(nn::ReduceKind::Sum, f.select(hits, weight, f.constant(0)), all, /*keep=*/false));
}

} // namespace avocet::compiler
