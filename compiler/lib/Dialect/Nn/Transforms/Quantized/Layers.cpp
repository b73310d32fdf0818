//===- Layers.cpp - Layers on integers --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(layer(dequantize(x), dequantized weights, bias))
//       the layer of integers, whose numerics have the quotients scale of x * scale of the weights / scale of the
//       result; of 16-bit numbers if no sum can have more than 32 bits, since the device multiplies wider ones with 15
//       bits only
//   layer(dequantize(x), dequantized weights, bias)
//       sums of integers, times scale of x * scale of the weights in float, plus the bias
//
// The quotients are of floats and the sums are rounded once, halves to the even number, as ONNX Runtime has it.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Greedy.h"
#include "../Recognize/RealConstants.h"

#include <cmath>

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
  if (isa<BatchMatmulOp>(layer))
    return clampedResult(group, layer, rewriter);
  layer->setAttr("activation", ActivationAttr::get(layer->getContext(), group.range));
  return layer;
}

bool isLayer(Operation *op) {
  return isa<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp, BatchMatmulOp>(op);
}

/// How many products each sum has.
int64_t productsOfSum(Operation *layer) {
  if (auto product = dyn_cast<BatchMatmulOp>(layer))
    return product.getLhs().getType().getShape().take_back(product.getTransposeLhs() ? 2 : 1).front();
  return tensorOf(layer->getOperand(1)).getNumElements() / shapeOf(layer->getResult(0)).back();
}

/// The largest magnitude of a sum of 8-bit numbers. Weights may have any zero point.
double mostOfSum(Operation *layer) {
  constexpr double kMost = 255;
  return static_cast<double>(productsOfSum(layer)) * kMost * kMost;
}

/// The integers of both operands of a layer.
struct LayerOperands {
  Value x;
  QuantizedWeights weights = {};
  StringRef obstacle = {}; ///< why there are none

  LayerOperands(Operation *layer, RewriterBase &rewriter) : x(integersBehind(layer->getOperand(0))) {
    if (!x) {
      obstacle = "its input is not quantized to 8 bits, or to 16 with zero point 0";
      return;
    }
    weights = quantizedWeights(layer->getOperand(1), rewriter);
    if (!weights.bytes)
      obstacle = "its weights are not quantized to 8 bits with one zero point";
    else if (weights.axis >= 0 && weights.axis != channelAxis(layer))
      obstacle = "the scales of its weights are not those of its channels";
    else if (!hasEightBits(typeOfBytes(x)) && !isSymmetric(typeOfBytes(weights.bytes)))
      obstacle = "the weights of its 16-bit input are not signed with zero point 0";
    else if (hasEightBits(typeOfBytes(x)) && !isHeld(mostOfSum(layer)))
      obstacle = "its sums may have more than 32 bits";
  }

  /// The scale of the sums for each scale of the weights.
  SmallVector<double> products() const { return productsWith(typeOfBytes(x).getScale(), weights.scales); }
};

double mostOf(ArrayRef<int32_t> bias) {
  double most = 0;
  for (int32_t number : bias)
    most = std::max(most, std::abs(static_cast<double>(number)));
  return most;
}

/// Whether sums of 16-bit numbers have 32 bits. The weights are constant.
bool haveNarrowSums(Operation *layer, const LayerOperands &operands, ArrayRef<int32_t> bias) {
  constexpr double kMostMagnitude = 1 << 15;
  const std::optional<std::vector<float>> weights = floatsOf(layer->getOperand(1));
  if (!weights || isa<BatchMatmulOp>(layer))
    return false;
  const ArrayRef<int64_t> shape = shapeOf(layer->getOperand(1));
  const auto axis = static_cast<size_t>(channelAxis(layer));
  const auto inner = static_cast<size_t>(llvm::product_of(shape.drop_front(axis + 1), int64_t(1)));
  SmallVector<double> sums(shape[axis]);
  for (auto [index, weight] : llvm::enumerate(*weights)) {
    const size_t channel = index / inner % sums.size();
    sums[channel] += std::abs(weight / operands.weights.scaleOf(channel));
  }
  for (auto [channel, sum] : llvm::enumerate(sums))
    if (sum * kMostMagnitude + (bias.empty() ? 0 : std::abs(double(bias[channel]))) > INT32_MAX)
      return false;
  return true;
}

/// The bias of a layer with 16-bit numbers, whose sums have 64 bits without one.
Value zeroBias(Operation *layer, RewriterBase &rewriter) {
  const auto type = RankedTensorType::get({shapeOf(layer->getResult(0)).back()}, rewriter.getI32Type());
  return ConstantOp::create(rewriter, layer->getLoc(), type, DenseElementsAttr::get(type, int32_t(0)));
}

Value biasOf(Operation *layer) { return layer->getNumOperands() > 2 ? layer->getOperand(2) : Value(); }

} // namespace

std::optional<StringRef> fuseQuantizedLayer(const Group &group, RewriterBase &rewriter) {
  if (!isLayer(group.op))
    return std::nullopt;
  if (!hasEightBits(group.result()) && !isSymmetric(group.result()))
    return "its result is not quantized to 8 bits, or to 16 with zero point 0";
  rewriter.setInsertionPoint(group.last);
  const LayerOperands layer(group.op, rewriter);
  if (!layer.obstacle.empty())
    return layer.obstacle;
  const bool isWide = !hasEightBits(group.result());
  if (isWide == hasEightBits(typeOfBytes(layer.x)))
    return "its input and its result have different widths";
  const SmallVector<double> products = layer.products();
  const NumericsAttr numerics = numericsOf(products, group.result().getScale(), rewriter.getContext());
  const std::optional<SmallVector<int32_t>> bias = quantizedBias(biasOf(group.op), products);
  if (!numerics || !bias)
    return "its bias is computed or too large, or its scales are too far apart";
  const double step = *llvm::max_element(products) / group.result().getScale();
  if (!isHeld(step * (isWide ? INT32_MAX : mostOfSum(group.op) + mostOf(*bias))))
    return "its scales are too far apart";
  if (isWide && !haveNarrowSums(group.op, layer, *bias))
    return "its weights are computed, or sums of its 16-bit products may have more than 32 bits";
  SmallVector<Value> operands{layer.x, layer.weights.bytes};
  if (!bias->empty())
    operands.push_back(biasConstant(biasOf(group.op), *bias, rewriter));
  else if (isWide)
    operands.push_back(zeroBias(group.op, rewriter));
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
  const Type integer = hasEightBits(typeOfBytes(layer.x)) ? rewriter.getI32Type() : rewriter.getI64Type();
  sums->getResult(0).setType(RankedTensorType::get(type.getShape(), integer));
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
