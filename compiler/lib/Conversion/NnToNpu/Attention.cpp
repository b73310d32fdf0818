//===- Attention.cpp - Which operations are steps of an attention ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Remarks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using mlir::remark::metric;

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kRemark = "attention";

/// Most steps from the scores to their softmax, or from there to the values: bounds the time for graphs whose branches
/// join again and again.
constexpr size_t kMostSteps = 16;

using Steps = llvm::SmallSetVector<Operation *, 8>;

/// Changes the form of what it reads, and no number but by rounding.
bool isForm(Operation *op) {
  return isa<nn::ReshapeOp, nn::TransposeOp, nn::QuantizeOp, nn::RescaleOp, nn::DequantizeOp, nn::CastOp>(op);
}

/// Scales, masks or limits scores.
bool changesScores(Operation *op) {
  return isForm(op) || isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::SelectOp, nn::ClampOp, nn::TanhOp>(op);
}

/// The product of the queries and keys that `value` comes from, with the steps after it.
nn::BatchMatmulOp scoresOf(Value value, Steps &steps) {
  Operation *op = value.getDefiningOp();
  if (auto product = dyn_cast_or_null<nn::BatchMatmulOp>(op)) {
    steps.insert(product);
    return product;
  }
  if (!op || steps.size() == kMostSteps || !changesScores(op) || !steps.insert(op))
    return {};
  for (Value operand : op->getOperands())
    if (nn::BatchMatmulOp scores = scoresOf(operand, steps))
      return scores;
  steps.remove(op);
  return {};
}

/// The softmax that an operand of a product is, with the steps from it on.
nn::SoftmaxOp softmaxOf(Value value, Steps &steps) {
  Operation *op = value.getDefiningOp();
  while (op && isForm(op) && steps.size() < kMostSteps) {
    steps.insert(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto softmax = dyn_cast_or_null<nn::SoftmaxOp>(op);
  if (softmax)
    steps.insert(softmax);
  return softmax;
}

/// The steps of the attention whose product with the values is `product`; none: it is no attention.
Steps stepsOf(nn::BatchMatmulOp product) {
  for (Value operand : {product.getLhs(), product.getRhs()}) {
    Steps steps;
    nn::SoftmaxOp softmax = softmaxOf(operand, steps);
    if (!softmax)
      continue;
    Steps scores;
    if (!scoresOf(softmax.getInput(), scores)) {
      remark::failed(product.getLoc(), remarkOptions(remarks::kFusion, kRemark))
          << metric(remarks::kChoice, "one layer for the attention")
          << metric(remarks::kReason, "its softmax does not read a product of two matrices");
      continue;
    }
    steps.insert(scores.begin(), scores.end());
    steps.insert(product);
    remark::passed(product.getLoc(), remarkOptions(remarks::kFusion, kRemark))
        << metric(remarks::kChoice, "one layer for the attention") << metric("Steps", steps.size());
    return steps;
  }
  return {};
}

} // namespace

Attentions::Attentions(Block &network) {
  for (auto product : network.getOps<nn::BatchMatmulOp>())
    for (Operation *step : stepsOf(product))
      groups_.try_emplace(step, ("ATTENTION " + operatorName(product.getLoc())).str());
}

StringRef Attentions::groupOf(Operation *op) const {
  const auto found = groups_.find(op);
  return found == groups_.end() ? StringRef() : StringRef(found->second);
}

} // namespace avocet::compiler
