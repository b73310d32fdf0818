//===- NnConvOps.cpp - Convolutions and pooling -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// Checks a filter's per-axis scales: their axis, their number (one per output channel), and that zero points are 0.
LogicalResult verifyWeightType(Operation *op, Value filter, int32_t channelAxis) {
  auto type = dyn_cast<quant::QuantizedType>(elementOf(filter));
  if (!type)
    return success();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    if (perAxis.getQuantizedDimension() != channelAxis)
      return op->emitOpError() << "filter is quantized along axis " << perAxis.getQuantizedDimension()
                               << ", its output channels are axis " << channelAxis;
    if (static_cast<int64_t>(perAxis.getScales().size()) != tensorOf(filter).getDimSize(channelAxis))
      return op->emitOpError() << "filter has " << perAxis.getScales().size() << " scales for "
                               << tensorOf(filter).getDimSize(channelAxis) << " output channels";
    if (llvm::any_of(perAxis.getZeroPoints(), [](int64_t zeroPoint) { return zeroPoint != 0; }))
      return op->emitOpError("zero points of a filter with scales per channel must be 0");
    return success();
  }
  return success();
}

/// Checks a float input with a quantized filter: the input is quantized at run time.
LogicalResult verifyHybrid(Operation *op, Value input, Value filter) {
  auto type = cast<quant::QuantizedType>(elementOf(filter));
  if (!elementOf(input).isF32() || !type.isSigned())
    return op->emitOpError("quantized filter of a float input must be signed, and the input f32");
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type); perTensor && perTensor.getZeroPoint() != 0)
    return op->emitOpError("zero point of a signed filter of an f32 input must be 0");
  return success();
}

unsigned storageWidth(Value value) {
  return cast<quant::QuantizedType>(elementOf(value)).getStorageTypeIntegralWidth();
}

/// Whether a quantized filter is signed with zero point 0; those with scales per channel were checked before.
bool isSymmetric(Value filter) {
  auto perTensor = dyn_cast<quant::UniformQuantizedType>(elementOf(filter));
  return cast<quant::QuantizedType>(elementOf(filter)).isSigned() && (!perTensor || perTensor.getZeroPoint() == 0);
}

LogicalResult verifyBiasType(Operation *op, Value input, Value bias) {
  if (!bias)
    return success();
  bool quantized = isQuantized(input);
  Type expected = quantized ? IntegerType::get(op->getContext(), 32) : elementOf(input);
  bool wide = quantized && storageWidth(input) == 16;
  if (elementOf(bias) == expected || (wide && elementOf(bias).isInteger(64)))
    return success();
  return op->emitOpError() << "bias must be " << expected << (wide ? " or 'i64'" : "") << " for input of "
                           << elementOf(input);
}

/// Sums of a 16-bit input have 64 bits unless the bias has 32.
bool hasWideSums(Value input, Value bias) {
  return storageWidth(input) == 16 && !(bias && elementOf(bias).isInteger(32));
}

/// Whether the result of quantized operands are their sums.
bool makesSums(Value input, Value output) { return isQuantized(input) && isa<IntegerType>(elementOf(output)); }

/// Checks that sums have the width in which they are computed, and nothing after them.
LogicalResult verifySums(Operation *op, Value input, Value bias, Value output, NumericsAttr numerics) {
  const unsigned width = hasWideSums(input, bias) ? 64 : 32;
  if (!elementOf(output).isInteger(width))
    return op->emitOpError() << "sums must be i" << width << ", are " << elementOf(output);
  if (activationOf(op) != Activation::kNone || numerics.getKind() != Numerics::Tflite)
    return op->emitOpError("sums have neither activation nor numerics");
  return success();
}

/// Accepts the combinations that Nn_MacOp documents.
LogicalResult verifyElementTypes(Operation *op, Value input, Value filter, Value bias, Value output) {
  bool quantized = isQuantized(input);
  if (makesSums(input, output))
    output = input; // otherwise the rules are those of a result like the input
  if (quantized != isQuantized(output) || (!quantized && elementOf(input) != elementOf(output)))
    return op->emitOpError("input and result must both be quantized or both of one float type");
  if (quantized && storageWidth(input) != storageWidth(output))
    return op->emitOpError() << "input and result must be quantized to the same width, are " << elementOf(input)
                             << " and " << elementOf(output);
  if (failed(verifyBiasType(op, input, bias)))
    return failure();
  if (quantized && isQuantized(filter) && storageWidth(input) == 16 && !isSymmetric(filter))
    return op->emitOpError("filter of a 16-bit input must be signed with zero point 0");
  if (quantized != isQuantized(filter))
    return quantized ? op->emitOpError("quantized input needs a quantized filter") : verifyHybrid(op, input, filter);
  if (!quantized && elementOf(filter) != elementOf(input))
    return op->emitOpError() << "filter must be of " << elementOf(input) << ", as the input is";
  return success();
}

LogicalResult verifyBias(Operation *op, Value bias, int64_t channels) {
  if (!bias || (tensorOf(bias).getRank() == 1 && tensorOf(bias).getDimSize(0) == channels))
    return success();
  return op->emitOpError() << "bias must have the shape [" << channels << "], has " << tensorOf(bias);
}

template <typename MacOp> LogicalResult verifyExplicitLayer(MacOp op, int64_t channels) {
  if (!isQuantized(op.getInput()) || !isQuantized(op.getFilter()) || !isQuantized(op.getOutput()))
    return op.emitOpError("needs quantized operands and a quantized result for explicit numerics");
  return verifyExplicitNumerics(op, op.getNumerics(), {1, channels}, hasWideSums(op.getInput(), op.getBias()));
}

/// Common checks of conv_2d and depthwise_conv_2d; `heightAxis` is an axis of the filter.
/// Of a layer whose filter has the output channels as `channelAxis`.
template <typename MacOp> LogicalResult verifyLayer(MacOp op, int32_t channelAxis) {
  const NumericsAttr numerics = op.getNumerics();
  if (numerics.getKind() == Numerics::ShiftScales || numerics.getKind() == Numerics::HalfEven)
    return op.emitOpError() << "has no numerics " << stringifyNumerics(numerics.getKind());
  if (makesSums(op.getInput(), op.getOutput()) &&
      failed(verifySums(op, op.getInput(), op.getBias(), op.getOutput(), numerics)))
    return failure();
  if (numerics.isExplicit() && failed(verifyExplicitLayer(op, tensorOf(op.getFilter()).getDimSize(channelAxis))))
    return failure();
  if (failed(verifyElementTypes(op, op.getInput(), op.getFilter(), op.getBias(), op.getOutput())) ||
      failed(verifyWeightType(op, op.getFilter(), channelAxis)))
    return failure();
  return verifyBias(op, op.getBias(), tensorOf(op.getFilter()).getDimSize(channelAxis));
}

} // namespace

LogicalResult Conv2dOp::verify() { return verifyLayer(*this, 0); }
LogicalResult DepthwiseConv2dOp::verify() { return verifyLayer(*this, 3); }
LogicalResult GroupedConv2dOp::verify() { return verifyLayer(*this, 0); }
LogicalResult TransposeConv2dOp::verify() { return verifyLayer(*this, 0); }
LogicalResult FullyConnectedOp::verify() { return verifyLayer(*this, 0); }

namespace {

/// A hybrid product has f32 values and 8-bit right matrices.
LogicalResult verifyHybridElements(BatchMatmulOp op) {
  if (!elementOf(op.getLhs()).isF32() || !elementOf(op.getOutput()).isF32() || storageWidth(op.getRhs()) != 8 ||
      !isSymmetric(op.getRhs()))
    return op.emitOpError("with a quantized right operand must have i8 with zero point 0 there, else f32");
  return success();
}

/// Checks the widths of a product of quantized numbers.
LogicalResult verifyWidths(BatchMatmulOp op) {
  const unsigned left = storageWidth(op.getLhs()), right = storageWidth(op.getRhs());
  if (right > left)
    return op.emitOpError() << "right operand must not have more bits than the left one, has " << right << " and "
                            << left;
  if (left == 16 && !isSymmetric(op.getRhs()))
    return op.emitOpError("right operand of a 16-bit one must be signed with zero point 0");
  if (isQuantized(op.getOutput()) && storageWidth(op.getOutput()) != left)
    return op.emitOpError() << "left operand and result must be quantized to the same width, are "
                            << elementOf(op.getLhs()) << " and " << elementOf(op.getOutput());
  return success();
}

} // namespace

LogicalResult BatchMatmulOp::verify() {
  const bool quantized = isQuantized(getLhs());
  if (getNumerics().isExplicit()) {
    if (!quantized || !isQuantized(getOutput()))
      return emitOpError("needs a quantized result for explicit numerics");
    if (failed(verifyExplicitNumerics(*this, getNumerics(), {1, shapeOf(getOutput()).back()},
                                      hasWideSums(getLhs(), Value()))))
      return failure();
  } else if (getNumerics().getKind() != Numerics::Tflite) {
    return emitOpError() << "has no numerics " << stringifyNumerics(getNumerics().getKind());
  }
  const auto columns = static_cast<int32_t>(shapeOf(getRhs()).size()) - (getTransposeRhs() ? 2 : 1);
  if (failed(verifyWeightType(*this, getRhs(), columns)))
    return failure();
  if (!quantized && isQuantized(getRhs()))
    return verifyHybridElements(*this);
  if (quantized && isQuantized(getRhs()) && failed(verifyWidths(*this)))
    return failure();
  if (makesSums(getLhs(), getOutput())) {
    if (!isQuantized(getRhs()))
      return emitOpError("needs quantized operands for sums");
    return verifySums(*this, getLhs(), Value(), getOutput(), getNumerics());
  }
  for (Value other : {getRhs(), getOutput()})
    if (isQuantized(other) != quantized || (!quantized && elementOf(other) != elementOf(getLhs())))
      return emitOpError("operands and result must be of one float type, or all quantized");
  return success();
}

LogicalResult AveragePool2dOp::verify() { return verifySameElements(*this, {getInput(), getOutput()}); }
LogicalResult MaxPool2dOp::verify() { return verifySameElements(*this, {getInput(), getOutput()}); }

LogicalResult L2Pool2dOp::verify() {
  if (isQuantized(getInput()))
    return emitOpError("input must be of floats");
  return verifySameElements(*this, {getInput(), getOutput()});
}
