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
constexpr GroupFusion kFusions[] = {fuseQuantizedFunction, fuseQuantizedLayer, fuseQuantizedPair, fuseQuantizedMean};

/// Why the group stays; empty: it does not.
StringRef fuse(const Group &group, RewriterBase &rewriter) {
  if (!group.op)
    return "";
  for (GroupFusion fusion : kFusions) {
    const bool isAlone = group.op->hasOneUse() || fusion == fuseQuantizedFunction;
    if (std::optional<StringRef> reason = isAlone ? fusion(group, rewriter) : std::nullopt)
      return *reason;
  }
  return group.op->hasOneUse() ? "there is no integer form of it" : "something else reads its floats";
}

void remarkInFloat(Operation *op, StringRef reason) {
  remark::failed(op->getLoc(), remarkOptions(remarks::kFusion, kQuantizationRemark))
      << remark::metric(remarks::kReason, reason.str());
}

/// Whether the operation computes floats from numbers that are dequantized.
bool readsDequantized(Operation *op) {
  return !isa<QuantizeOp, ReshapeOp>(op) &&
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
    fuseGroups();
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

  void fuseGroups() {
    IRRewriter rewriter(&getContext());
    for (QuantizeOp last : quantizations()) {
      const Group group = groupBefore(last);
      Operation *op = group.op;
      if (StringRef reason = fuse(group, rewriter); !reason.empty()) {
        remarkInFloat(op, reason);
        reported_.insert(op);
      }
    }
  }

  void remarkOthers() {
    getOperation().walk([&](Operation *op) {
      if (readsDequantized(op) && op->getNumResults() == 1 && isa<FloatType>(elementOf(op->getResult(0))) &&
          !reported_.contains(op))
        remarkInFloat(op, "its result is not quantized");
    });
    reported_.clear();
  }

  llvm::SmallPtrSet<Operation *, 8> reported_;
};

} // namespace
} // namespace avocet::compiler::nn
