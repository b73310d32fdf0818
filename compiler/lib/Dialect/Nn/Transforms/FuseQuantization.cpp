//===- FuseQuantization.cpp - Integers between conversions --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "Quantized/Groups.h"

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_FUSEQUANTIZATIONPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

/// Sums of two values are no functions of one, but sums with a constant are.
constexpr GroupFusion kFusions[] = {fuseQuantizedFunction, fuseQuantizedLayer, fuseQuantizedPair, fuseQuantizedMean,
                                    fuseQuantizedSoftmax};

/// Why the group stays; empty: it does not.
StringRef fuse(const Group &group, RewriterBase &rewriter) {
  if (!group.op)
    return "";
  for (GroupFusion fusion : kFusions) {
    const bool isAlone = group.op->hasOneUse() || fusion == fuseQuantizedFunction;
    if (std::optional<StringRef> reason = isAlone ? fusion(group, rewriter) : std::nullopt)
      return *reason;
  }
  if (!group.op->hasOneUse())
    return "something else reads its floats";
  // A sum of quarters is a half in one of thirteen elements. No form has the reference's results then.
  return isa<ResizeOp>(group.op) ? "its numbers are often halves, which the last bits of floats round"
                                 : "there is no integer form of it";
}

void remarkInFloat(Operation *op, StringRef reason) {
  remark::failed(op->getLoc(), remarkOptions(remarks::kFusion, kQuantizationRemark))
      << remark::metric(remarks::kReason, reason.str());
}

/// Whether the operation computes floats from numbers that are dequantized.
bool readsDequantized(Operation *op) {
  if (isa<QuantizeOp, ReshapeOp>(op) || op->getNumResults() != 1)
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return result && isa<FloatType>(result.getElementType()) &&
         llvm::any_of(op->getOperands(), [](Value value) { return value.getDefiningOp<DequantizeOp>(); });
}

struct FuseQuantization : impl::FuseQuantizationPassBase<FuseQuantization> {
  void runOnOperation() override {
    if (quantizations().empty())
      return;
    RewritePatternSet patterns(&getContext());
    addQuantizedMovePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    fuseGroups(rewriter);
    computeSums(rewriter);
    remarkOthers();
  }

private:
  /// Other formats have bits that a network is compared with.
  SmallVector<QuantizeOp> quantizations() {
    SmallVector<QuantizeOp> found;
    getOperation().walk([&](QuantizeOp op) {
      if (roundsToEven(op))
        found.push_back(op);
    });
    return found;
  }

  void fuseGroups(RewriterBase &rewriter) {
    for (QuantizeOp last : quantizations()) {
      const Group group = groupBefore(last);
      Operation *op = group.op;
      if (StringRef reason = fuse(group, rewriter); !reason.empty())
        reasons_.try_emplace(op, reason);
    }
  }

  /// Of the layers whose results nothing quantizes.
  void computeSums(RewriterBase &rewriter) {
    SmallVector<Operation *> readers;
    getOperation().walk([&](Operation *op) {
      if (readsDequantized(op))
        readers.push_back(op);
    });
    for (Operation *op : readers)
      if (succeeded(sumOnIntegers(op, rewriter)))
        reasons_.erase(op);
  }

  void remarkOthers() {
    getOperation().walk([&](Operation *op) {
      if (auto known = reasons_.find(op); known != reasons_.end())
        remarkInFloat(op, known->second);
      else if (readsDequantized(op))
        remarkInFloat(op, "its result is not quantized");
    });
    reasons_.clear();
  }

  llvm::SmallDenseMap<Operation *, StringRef> reasons_; ///< why operations before a quantization stay
};

} // namespace
} // namespace avocet::compiler::nn
