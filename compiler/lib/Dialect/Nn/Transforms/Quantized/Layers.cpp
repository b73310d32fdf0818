//===- Layers.cpp - Layers on integers --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(layer(dequantize(x), dequantized weights, bias))
//       the layer of integers, whose numerics have the quotients scale of x * scale of the weights / scale of the
//       result
//
// The quotients are of floats and the sums are rounded once, halves to the even number, as ONNX Runtime has it.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Greedy.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// The axis of the second operand with the channels of the result.
int64_t channelAxis(Operation *layer) {
  if (isa<DepthwiseConv2dOp>(layer))
    return 3;
  auto product = dyn_cast<BatchMatmulOp>(layer);
  return product ? tensorOf(product.getRhs()).getRank() - (product.getTransposeRhs() ? 2 : 1) : 0;
}

/// For each scale of the weights.
SmallVector<double> productsWith(double scale, ArrayRef<double> scales) {
  return llvm::map_to_vector(
      scales, [=](double each) -> double { return static_cast<float>(scale) * static_cast<float>(each); });
}

NumericsAttr numericsOf(ArrayRef<double> products, double result, MLIRContext *context) {
  return evenNumerics(context, llvm::map_to_vector(products, [=](double product) -> double {
                        return static_cast<float>(product) / static_cast<float>(result);
                      }));
}

/// The layer with other operands, whose result is that of the group. A product has no clamp of its own.
Operation *createInteger(const Group &group, ValueRange operands, NumericsAttr numerics, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(group.last);
  Operation *layer = rewriter.clone(*group.op);
  layer->setOperands(operands);
  layer->getResult(0).setType(group.resultType());
  layer->setAttr("numerics", numerics);
  layer->setLoc(group.location());
  if (!isa<BatchMatmulOp>(layer))
    layer->setAttr("activation", ActivationAttr::get(layer->getContext(), group.range));
  else if (group.range != Activation::kNone)
    return ClampOp::create(rewriter, group.location(), group.resultType(), layer->getResult(0), group.range);
  return layer;
}

} // namespace

std::optional<StringRef> fuseQuantizedLayer(const Group &group, RewriterBase &rewriter) {
  if (!isa<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp, BatchMatmulOp>(group.op))
    return std::nullopt;
  Value x = bytesBehind(group.op->getOperand(0));
  if (!x || !hasEightBits(group.result()))
    return "its input or its result is not quantized to 8 bits";
  rewriter.setInsertionPoint(group.last);
  const QuantizedWeights weights = quantizedWeights(group.op->getOperand(1), rewriter);
  if (!weights.bytes)
    return "its weights are not quantized to 8 bits with one zero point";
  if (weights.axis >= 0 && weights.axis != channelAxis(group.op))
    return "the scales of its weights are not those of its channels";
  const SmallVector<double> products = productsWith(typeOfBytes(x).getScale(), weights.scales);
  const NumericsAttr numerics = numericsOf(products, group.result().getScale(), rewriter.getContext());
  Value real = group.op->getNumOperands() > 2 ? group.op->getOperand(2) : Value();
  const std::optional<Value> bias = quantizedBias(real, products, rewriter);
  if (!numerics || !bias)
    return "its bias is computed or too large, or its scales are too far apart";
  SmallVector<Value> operands{x, weights.bytes};
  if (*bias)
    operands.push_back(*bias);
  replaceGroup(group, createInteger(group, operands, numerics, rewriter), rewriter);
  return "";
}

} // namespace avocet::compiler::nn
