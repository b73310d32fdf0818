//===- OnnxLoss.cpp - Losses ------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Sequences.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Whether the target is the class, [N, C, ...]. An ignored target is no class.
Value isTarget(OnnxOperation &op, Value targets, int64_t classes) {
  const Type i32 = op.builder().getI32Type();
  Formula f(op, i32);
  targets = castTo(op, targets, i32);
  const int64_t ignored = op.integer("ignore_index", -1);
  Value hits = isPosition(op, targets, 1, classes);
  if (!hits || !op.hasAttribute("ignore_index") || ignored < 0 || ignored >= classes)
    return hits;
  SmallVector<int64_t> shape(shapeOf(targets));
  shape.insert(shape.begin() + 1, 1);
  Value counts = f.compare(reshape(op, targets, shape), nn::CompareKind::NotEqual, static_cast<double>(ignored));
  return createPair<nn::LogicalOp>(op, hits, counts, nn::LogicalKind::And);
}

/// The loss of logarithms of probabilities [N, C, ...]. Operand 1 are targets [N, ...], operand 2 weights of classes.
Value lossOf(OnnxOperation &op, Value logs) {
  Value targets = op.value(1, "target"), weights = op.hasInput(2) ? op.value(2, "weight") : Value();
  if (!logs || !targets || (op.hasInput(2) && !weights))
    return {};
  const ArrayRef<int64_t> shape = shapeOf(logs);
  SmallVector<int64_t> samples(shape);
  if (shape.size() >= 2)
    samples.erase(samples.begin() + 1);
  if (shape.size() < 2 || samples != shapeOf(targets) || (weights && shapeOf(weights) != ArrayRef<int64_t>(shape[1])))
    return op.malformed("must have a target for each sample, and a weight for each class");
  const StringRef reduction = op.text("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return op.malformed("has the reduction '" + reduction + "', must be none, sum or mean");
  Formula f(op, elementOf(logs));
  Value hits = isTarget(op, targets, shape[1]);
  SmallVector<int64_t> perClass(shape.size() - 1, 1);
  perClass.front() = shape[1];
  Value weight = weights ? reshape(op, weights, perClass) : f.constant(1);
  Value losses = f.mul(f.apply(nn::UnaryKind::Neg, f.select(hits, logs, f.constant(0))), weight);
  const SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  if (reduction == "none")
    return f.reduce(nn::ReduceKind::Sum, losses, {1}, /*keep=*/false);
  Value sum = f.reduce(nn::ReduceKind::Sum, losses, all, /*keep=*/false);
  if (reduction == "sum")
    return sum;
  return f.div(sum, f.reduce(nn::ReduceKind::Sum, f.select(hits, weight, f.constant(0)), all, /*keep=*/false));
}

LogicalResult convertLogLikelihood(OnnxOperation &op) { return op.finish(lossOf(op, op.value(0, "input"))); }

LogicalResult convertCrossEntropy(OnnxOperation &op) {
  Value scores = op.value(0, "scores");
  Value logs = scores && shapeOf(scores).size() > 1
                   ? createAs<nn::LogSoftmaxOp>(op, elementOf(scores), scores, APFloat(1.0f), int64_t(1))
                   : scores;
  return failed(op.finish(lossOf(op, logs))) ? failure() : op.finish(logs, 1);
}

constexpr OnnxConverter kConverters[] = {
    {"NegativeLogLikelihoodLoss", 12, 2, 3, convertLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, 2, 3, convertCrossEntropy, 1, 2},
};

} // namespace

ArrayRef<OnnxConverter> onnxLossConverters() { return kConverters; }

} // namespace avocet::compiler
