//===- TosaConv.cpp - Convolutions and matrix products -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of integers have sums of 32 bits (48 bits for 16-bit inputs), which a later rescale may become a part of
// (nn-fuse-rescale).
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Convolution.h"
#include "Import/Common/Create.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Input, filter and bias of a convolution; floats as they are, integers as quantized numbers.
struct Operands {
  Value input, filter, bias;
};

/// A bias for each channel: one of one element serves all.
Value biasOf(TosaOperation &op, Value bias, int64_t channels) {
  return bias ? foldedIfConstant(op, broadcastTo(op, bias, {channels})) : bias;
}

FailureOr<Operands> operandsOf(TosaOperation &op) {
  const Operands operands{op.numbers(0, 3), op.constantNumbers(1, 4), op.value(2, "bias")};
  if (!operands.input || !operands.filter || !operands.bias)
    return failure();
  return operands;
}

LogicalResult convertConv(TosaOperation &op, tosa::Conv2DOp source) {
  FailureOr<Operands> operands = operandsOf(op);
  if (failed(operands))
    return failure();
  const auto [input, filter, ownBias] = *operands;
  const ArrayRef<int64_t> shape = shapeOf(filter);
  Value bias = biasOf(op, ownBias, shape[0]);
  const auto isPixel = [](Value value) { return shapeOf(value)[1] == 1 && shapeOf(value)[2] == 1; };
  if (isPixel(input) && isPixel(filter) && llvm::all_of(source.getPad(), [](int64_t pad) { return pad == 0; }))
    return finish<nn::FullyConnectedOp>(op, input, foldedIfConstant(op, reshape(op, filter, {shape[0], shape[3]})),
                                        bias,
                                        /*keepDims=*/true, nn::Activation::kNone);
  return finish<nn::Conv2dOp>(op, input, filter, bias, source.getStride(), source.getDilation(), source.getPad(),
                              nn::Activation::kNone);
}

/// The filter is [height, width, input channels, multiplier].
LogicalResult convertDepthwise(TosaOperation &op, tosa::DepthwiseConv2DOp source) {
  FailureOr<Operands> operands = operandsOf(op);
  if (failed(operands))
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(operands->filter);
  const int64_t channels = shape[2] * shape[3];
  Value filter = foldedIfConstant(op, reshape(op, operands->filter, {1, shape[0], shape[1], channels}));
  return finish<nn::DepthwiseConv2dOp>(op, operands->input, filter, biasOf(op, operands->bias, channels),
                                       source.getStride(), source.getDilation(), source.getPad(),
                                       nn::Activation::kNone);
}

/// Rows and columns that the operation adds before the first ones are those of a larger filter, which has zeros there.
LogicalResult convertTransposed(TosaOperation &op, tosa::TransposeConv2DOp source) {
  FailureOr<Operands> operands = operandsOf(op);
  if (failed(operands))
    return failure();
  SmallVector<int64_t> cut = llvm::map_to_vector(source.getOutPad(), [](int64_t rows) { return -rows; });
  Amounts zeros{SmallVector<int64_t>(4, 0), SmallVector<int64_t>(4, 0)};
  for (unsigned axis : {0, 1})
    if (cut[2 * axis] < 0)
      zeros.low[1 + axis] = -std::exchange(cut[2 * axis], 0);
  if (zeros.low[1] + zeros.low[2] > 0) {
    const auto quantized = dyn_cast<quant::UniformQuantizedType>(elementOf(operands->filter));
    const auto value = quantized ? std::optional(static_cast<double>(quantized.getZeroPoint())) : std::nullopt;
    operands->filter = foldedIfConstant(op, pad(op, operands->filter, zeros, value));
  }
  Value bias = biasOf(op, operands->bias, operands->filter ? shapeOf(operands->filter)[0] : 1);
  return finish<nn::TransposeConv2dOp>(op, operands->input, operands->filter, bias, source.getStride(), cut,
                                       nn::Activation::kNone);
}

/// The filter is [output channels, depth, height, width, input channels].
LogicalResult convertConv3d(TosaOperation &op, tosa::Conv3DOp source) {
  FailureOr<Operands> operands = operandsOf(op);
  if (failed(operands))
    return failure();
  const auto [input, filter, bias] = *operands;
  const ArrayRef<int64_t> result = op.resultShape(), stride = source.getStride(), dilation = source.getDilation(),
                          pad = source.getPad();
  const int64_t kernel = shapeOf(filter)[1], depth = shapeOf(input)[1];
  if ((kernel - 1) * dilation[0] + (result[1] - 1) * stride[0] >= depth + pad[0] + pad[1])
    return op.malformed("has a result of " + Twine(result[1]) + " depth steps, the input gives fewer");
  DepthWindows windows{result[1], stride[0]};
  for (int64_t step = 0; step < kernel; ++step)
    windows.add(step, step * dilation[0] - pad[0], depth);
  Value planes =
      createAs<nn::Conv2dOp>(op, op.resultElement(0), imagesOfVolumes(op, input, windows),
                             filterOfImages(op, filter, windows, 1, 3), biasOf(op, bias, shapeOf(filter)[0]),
                             stride.drop_front(), dilation.drop_front(), pad.drop_front(2), nn::Activation::kNone);
  return op.finish(reshape(op, planes, result));
}

LogicalResult convertMatMul(TosaOperation &op, tosa::MatMulOp) {
  Value a = op.numbers(0, 2), b = op.constantNumbers(1, 3);
  if (!a || !b)
    return failure();
  if (shapeOf(a)[0] != shapeOf(b)[0])
    return op.malformed("has " + Twine(shapeOf(a)[0]) + " matrices a and " + Twine(shapeOf(b)[0]) +
                        " matrices b, must be as many");
  return finish<nn::BatchMatmulOp>(op, a, b, /*transposeLhs=*/false, /*transposeRhs=*/false, /*asymmetric=*/false);
}

constexpr TosaConverter kConverters[] = {kConverts<convertConv>, kConverts<convertConv3d>, kConverts<convertDepthwise>,
                                         kConverts<convertMatMul>, kConverts<convertTransposed>};

} // namespace

ArrayRef<TosaConverter> tosaConvConverters() { return kConverters; }

} // namespace avocet::compiler
