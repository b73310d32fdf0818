//===- MergeAxes.cpp - Ranks that the device can compute with ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_MERGEAXESPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

bool isHigh(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > kMaxDeviceRank;
}

bool isHigh(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) { return isHigh(type); }) ||
         llvm::any_of(op->getResultTypes(), [](Type type) { return isHigh(type); });
}

/// The axis of a type with a scale for each channel could be merged with another one.
bool hasChannelScales(Operation *op) {
  auto has = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  };
  return llvm::any_of(op->getOperandTypes(), has) || llvm::any_of(op->getResultTypes(), has);
}

bool isLow(ArrayRef<Shape> shapes) {
  return llvm::all_of(shapes, [](const Shape &shape) { return shape.size() <= kMaxDeviceRank; });
}

std::optional<MergedForm> mergedForm(Operation *op) {
  auto merging = dyn_cast<MergeInterface>(op);
  return merging ? merging.mergedForm() : std::nullopt;
}

Value reshaped(OpBuilder &builder, Location location, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getShape() == shape ? value : ReshapeOp::create(builder, location, type.clone(shape), value).getOutput();
}

SmallVector<ShapedTypeComponents> inferredShapes(Operation *op) {
  SmallVector<ShapedTypeComponents> results;
  [[maybe_unused]] const LogicalResult inferred = cast<InferShapedTypeOpInterface>(op).inferReturnTypeComponents(
      op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
      op->getRegions(), results);
  assert(succeeded(inferred) && "a merged form has the rules of the operation");
  return results;
}

void replace(Operation *op, const MergedForm &form) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [operand, shape] : llvm::zip_equal(op->getOperands(), form.operands))
    operands.push_back(reshaped(builder, op->getLoc(), operand, shape));
  Operation *merged = builder.clone(*op);
  merged->setOperands(operands);
  for (NamedAttribute changed : form.attributes)
    merged->setAttr(changed.getName(), changed.getValue());
  for (auto [before, after, shape] : llvm::zip_equal(op->getResults(), merged->getResults(), inferredShapes(merged))) {
    auto type = cast<RankedTensorType>(before.getType());
    after.setType(type.clone(shape.getDims()));
    before.replaceAllUsesWith(reshaped(builder, op->getLoc(), after, type.getShape()));
  }
  op->erase();
}

struct MergeAxes : impl::MergeAxesPassBase<MergeAxes> {
  void runOnOperation() override {
    SmallVector<Operation *> high;
    getOperation().walk([&](Operation *op) {
      if (isHigh(op) && !hasChannelScales(op))
        high.push_back(op);
    });
    for (Operation *op : high)
      if (auto form = mergedForm(op); form && isLow(form->operands))
        replace(op, *form);
  }
};

} // namespace
} // namespace avocet::compiler::nn
