//===- NnConvOps.cpp - Verifiers of convolutions and fully connected layers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// Number of output channels by axis of the filter, for per-axis scales.
LogicalResult verifyWeightType(Operation *op, Value filter, int32_t channelAxis) {
  auto type = dyn_cast<quant::QuantizedType>(elementType(filter));
  if (!type)
    return success();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    if (perAxis.getQuantizedDimension() != channelAxis)
      return op->emitOpError() << "filter is quantised along axis " << perAxis.getQuantizedDimension()
                               << ", its output channels are axis " << channelAxis;
    if (static_cast<int64_t>(perAxis.getScales().size()) != tensorType(filter).getDimSize(channelAxis))
      return op->emitOpError() << "filter has " << perAxis.getScales().size() << " scales for "
                               << tensorType(filter).getDimSize(channelAxis) << " output channels";
    if (llvm::any_of(perAxis.getZeroPoints(), [](int64_t zeroPoint) { return zeroPoint != 0; }))
      return op->emitOpError("zero points of a filter with scales per channel must be 0");
    return success();
  }
  if (type.isSigned() && cast<quant::UniformQuantizedType>(type).getZeroPoint() != 0)
    return op->emitOpError("zero point of a signed filter must be 0");
  return success();
}

/// The three combinations that Nn_MacOp documents.
LogicalResult verifyElementTypes(Operation *op, Value input, Value filter, Value bias, Value output) {
  if (isQuantized(input) != isQuantized(output))
    return op->emitOpError("input and result must both be quantised or both f32");
  if (isQuantized(input) && !isQuantized(filter))
    return op->emitOpError("quantised input needs a quantised filter");
  if (bias && elementType(bias).isF32() == isQuantized(input))
    return op->emitOpError() << "bias must be " << (isQuantized(input) ? "i32" : "f32") << " for input of "
                             << elementType(input);
  bool hybrid = !isQuantized(input) && isQuantized(filter);
  if (hybrid && !cast<quant::QuantizedType>(elementType(filter)).isSigned())
    return op->emitOpError("quantised filter of an f32 input must be signed");
  return success();
}

LogicalResult verifyBias(Operation *op, Value bias, int64_t channels) {
  if (!bias || (tensorType(bias).getRank() == 1 && tensorType(bias).getDimSize(0) == channels))
    return success();
  return op->emitOpError() << "bias must have the shape [" << channels << "], has " << tensorType(bias);
}

/// What conv_2d and depthwise_conv_2d have in common; `heightAxis` is that of the filter.
template <typename ConvOp> LogicalResult verifyWindowedConv(ConvOp op, int32_t heightAxis, int32_t channelAxis) {
  if (failed(verifyRank(op, "input", op.getInput(), 4)) || failed(verifyRank(op, "filter", op.getFilter(), 4)) ||
      failed(verifyRank(op, "result", op.getOutput(), 4)) || failed(verifyArray(op, "stride", op.getStride(), 2, 1)) ||
      failed(verifyArray(op, "dilation", op.getDilation(), 2, 1)) || failed(verifyArray(op, "pad", op.getPad(), 4, 0)))
    return failure();
  auto input = tensorType(op.getInput()), filter = tensorType(op.getFilter()), output = tensorType(op.getOutput());
  if (input.getDimSize(0) != output.getDimSize(0))
    return op.emitOpError() << "batch of input is " << input.getDimSize(0) << ", of result " << output.getDimSize(0);
  if (output.getDimSize(3) != filter.getDimSize(channelAxis))
    return op.emitOpError() << "result has " << output.getDimSize(3) << " channels, the filter makes "
                            << filter.getDimSize(channelAxis);
  for (int axis : {0, 1}) {
    Axis window{axis == 0 ? "height" : "width", input.getDimSize(1 + axis), filter.getDimSize(heightAxis + axis),
                op.getStride()[axis],           op.getDilation()[axis],     op.getPad()[2 * axis],
                op.getPad()[2 * axis + 1]};
    if (failed(verifyAxis(op, window, output.getDimSize(1 + axis))))
      return failure();
  }
  if (failed(verifyElementTypes(op, op.getInput(), op.getFilter(), op.getBias(), op.getOutput())) ||
      failed(verifyWeightType(op, op.getFilter(), channelAxis)))
    return failure();
  return verifyBias(op, op.getBias(), output.getDimSize(3));
}

} // namespace

LogicalResult Conv2dOp::verify() {
  if (failed(verifyWindowedConv(*this, 1, 0)))
    return failure();
  int64_t channels = tensorType(getInput()).getDimSize(3), expected = tensorType(getFilter()).getDimSize(3);
  if (channels != expected)
    return emitOpError() << "input has " << channels << " channels, the filter reads " << expected;
  return success();
}

LogicalResult DepthwiseConv2dOp::verify() {
  if (failed(verifyWindowedConv(*this, 1, 3)))
    return failure();
  auto filter = tensorType(getFilter());
  if (filter.getDimSize(0) != 1)
    return emitOpError() << "first extent of the filter is " << filter.getDimSize(0) << ", must be 1";
  int64_t channels = tensorType(getInput()).getDimSize(3);
  if (filter.getDimSize(3) % channels != 0)
    return emitOpError() << filter.getDimSize(3) << " output channels are no multiple of " << channels
                         << " input channels";
  return success();
}

LogicalResult FullyConnectedOp::verify() {
  if (failed(verifyRank(*this, "filter", getFilter(), 2)))
    return failure();
  auto input = tensorType(getInput()), filter = tensorType(getFilter()), output = tensorType(getOutput());
  int64_t channels = filter.getDimSize(0), depth = filter.getDimSize(1);
  if (output.getRank() == 0 || output.getShape().back() != channels)
    return emitOpError() << "last extent of the result must be the filter's " << channels << " outputs";
  if (input.getNumElements() % depth != 0)
    return emitOpError() << input.getNumElements() << " input elements are no multiple of the row length " << depth;
  if (input.getNumElements() / depth != output.getNumElements() / channels)
    return emitOpError() << "input has " << input.getNumElements() / depth << " rows, the result "
                         << output.getNumElements() / channels;
  if (failed(verifyElementTypes(*this, getInput(), getFilter(), getBias(), getOutput())) ||
      failed(verifyWeightType(*this, getFilter(), 0)))
    return failure();
  return verifyBias(*this, getBias(), channels);
}
