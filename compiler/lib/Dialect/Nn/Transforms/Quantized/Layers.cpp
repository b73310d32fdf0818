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
//   layer(dequantize(x), dequantized weights, bias)
//       sums of integers, times scale of x * scale of the weights in float, plus the bias
//
// The quotients are of floats and the sums are rounded once, halves to the even number, as ONNX Runtime has it.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Greedy.h"
#include "../Recognize/RealConstants.h"

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

bool isLayer(Operation *op) {
  return isa<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp, BatchMatmulOp>(op);
}

/// The integers of both operands of a layer.
struct LayerOperands {
  Value x;
  QuantizedWeights weights = {};
  StringRef obstacle = {}; ///< why there are none

  LayerOperands(Operation *layer, RewriterBase &rewriter) : x(bytesBehind(layer->getOperand(0))) {
    if (!x) {
      obstacle = "its input is not quantized to 8 bits";
      return;
    }
    weights = quantizedWeights(layer->getOperand(1), rewriter);
    if (!weights.bytes)
      obstacle = "its weights are not quantized to 8 bits with one zero point";
    else if (weights.axis >= 0 && weights.axis != channelAxis(layer))
      obstacle = "the scales of its weights are not those of its channels";
  }

  /// The scale of the sums for each scale of the weights.
  SmallVector<double> products() const { return productsWith(typeOfBytes(x).getScale(), weights.scales); }
};

Value biasOf(Operation *layer) { return layer->getNumOperands() > 2 ? layer->getOperand(2) : Value(); }

/// How many products each sum has.
int64_t productsOfSum(Operation *layer) {
  if (auto product = dyn_cast<BatchMatmulOp>(layer))
    return product.getLhs().getType().getShape().take_back(product.getTransposeLhs() ? 2 : 1).front();
  return tensorOf(layer->getOperand(1)).getNumElements() / shapeOf(layer->getResult(0)).back();
}

} // namespace

std::optional<StringRef> fuseQuantizedLayer(const Group &group, RewriterBase &rewriter) {
  if (!isLayer(group.op))
    return std::nullopt;
  if (!hasEightBits(group.result()))
    return "its result is not quantized to 8 bits";
  rewriter.setInsertionPoint(group.last);
  const LayerOperands layer(group.op, rewriter);
  if (!layer.obstacle.empty())
    return layer.obstacle;
  const SmallVector<double> products = layer.products();
  const NumericsAttr numerics = numericsOf(products, group.result().getScale(), rewriter.getContext());
  const std::optional<Value> bias = quantizedBias(biasOf(group.op), products, rewriter);
  if (!numerics || !bias)
    return "its bias is computed or too large, or its scales are too far apart";
  SmallVector<Value> operands{layer.x, layer.weights.bytes};
  if (*bias)
    operands.push_back(*bias);
  replaceGroup(group, createInteger(group, operands, numerics, rewriter), rewriter);
  return "";
}

LogicalResult sumOnIntegers(Operation *op, RewriterBase &rewriter) {
  // Conversion and factor cost as much as some products of floats.
  constexpr int64_t kFewestProducts = 256;
  if (!isLayer(op) || isa<DepthwiseConv2dOp>(op) || productsOfSum(op) < kFewestProducts)
    return failure();
  rewriter.setInsertionPoint(op);
  const LayerOperands layer(op, rewriter);
  if (!layer.obstacle.empty())
    return failure();
  const SmallVector<float> factors = llvm::to_vector_of<float>(layer.products());
  const auto type = tensorOf(op->getResult(0));
  const Activation activation = activationOf(op);
  Operation *sums = rewriter.clone(*op);
  sums->setOperands({layer.x, layer.weights.bytes});
  sums->getResult(0).setType(RankedTensorType::get(type.getShape(), rewriter.getI32Type()));
  if (!isa<BatchMatmulOp>(sums))
    sums->setAttr("activation", ActivationAttr::get(op->getContext(), Activation::kNone));
  const Location loc = op->getLoc();
  Value real = CastOp::create(rewriter, loc, type, sums->getResult(0));
  Value scales = floatConstant(
      rewriter, loc, RankedTensorType::get({static_cast<int64_t>(factors.size())}, type.getElementType()), factors);
  Value bias = biasOf(op);
  real = MulOp::create(rewriter, loc, type, real, scales, bias ? Activation::kNone : activation);
  if (bias)
    real = AddOp::create(rewriter, loc, type, real, bias, activation);
  rewriter.replaceOp(op, real);
  remarkFused(sums, kQuantizationRemark, "its sums are of integers");
  return success();
}

} // namespace avocet::compiler::nn
