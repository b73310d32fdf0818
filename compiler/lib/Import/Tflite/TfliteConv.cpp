//===- TfliteConv.cpp - Convolutions and matrix products -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteWindow.h"

#include "Import/Common/MatrixProduct.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Operands that the three operators share.
struct MacOperands {
  Value input, filter, bias; ///< bias may be null
  RankedTensorType result;
};

FailureOr<MacOperands> macOperands(TfliteOperator &op) {
  Value filter = op.parameter(1, "filter");
  MacOperands operands{op.value(0, "input"), filter, {}, op.resultType()};
  if (!operands.input || !operands.filter || !operands.result)
    return failure();
  if (op.hasInput(2) && !(operands.bias = op.parameter(2, "bias")))
    return failure();
  return operands;
}

FailureOr<std::array<int64_t, 2>> extents(TfliteOperator &op, Value value, StringRef operand, unsigned first) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() != 4)
    return op.refuse(operand, "rank", Twine(type.getRank()), "4");
  return std::array{type.getDimSize(first), type.getDimSize(first + 1)};
}

/// The convolutions that CONV_2D is if its filter reads `filterChannels` of the input's channels; 0: no such number.
int64_t groupsOf(int64_t channels, int64_t filterChannels, int64_t outputs) {
  if (channels % filterChannels != 0 || outputs % (channels / filterChannels) != 0)
    return 0;
  return channels / filterChannels;
}

/// CONV_2D and DEPTHWISE_CONV_2D need the same conversion.
template <typename Options, typename ConvOp> LogicalResult convertWindowed(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<MacOperands> operands = macOperands(op);
  FailureOr<nn::Activation> activation = op.fusedActivation(options->activation());
  if (failed(operands) || failed(activation))
    return failure();
  auto input = extents(op, operands->input, "input", 1), kernel = extents(op, operands->filter, "filter", 1);
  if (failed(input) || failed(kernel))
    return failure();
  std::array<int64_t, 2> stride{options->stride_h(), options->stride_w()};
  std::array<int64_t, 2> dilation{options->dilation_h(), options->dilation_w()};
  auto pad = explicitPadding(op, {options->padding(), *input, *kernel, stride, dilation});
  if (failed(pad))
    return failure();
  if constexpr (std::is_same_v<ConvOp, nn::Conv2dOp>) {
    const int64_t channels = shapeOf(operands->input)[3];
    ArrayRef<int64_t> filter = shapeOf(operands->filter);
    if (int64_t groups = groupsOf(channels, filter[3], filter[0]); groups > 1)
      return op.finish(nn::GroupedConv2dOp::create(op.builder(), op.location(), operands->result, operands->input,
                                                   operands->filter, operands->bias, groups, stride, dilation, *pad,
                                                   *activation));
  }
  return op.finish(ConvOp::create(op.builder(), op.location(), operands->result, operands->input, operands->filter,
                                  operands->bias, stride, dilation, *pad, *activation));
}

LogicalResult convertFullyConnected(TfliteOperator &op) {
  auto *options = op.options<tflite::FullyConnectedOptions>();
  if (!options)
    return op.malformed("lacks its options");
  if (options->weights_format() != tflite::WeightsFormat::DEFAULT)
    return op.refuse("filter", "weights are in plain order", "a shuffled format");
  FailureOr<MacOperands> operands = macOperands(op);
  FailureOr<nn::Activation> activation = op.fusedActivation(options->activation());
  if (failed(operands) || failed(activation))
    return failure();
  return op.finish(nn::FullyConnectedOp::create(op.builder(), op.location(), operands->result, operands->input,
                                                operands->filter, operands->bias, *activation));
}

LogicalResult convertBatchMatmul(TfliteOperator &op) {
  auto *options = op.options<tflite::BatchMatMulOptions>();
  return convertMatrixProduct(op, options && options->adj_x(), options && options->adj_y(),
                              options && options->asymmetric_quantize_inputs());
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::BATCH_MATMUL, 2, 2, convertBatchMatmul},
    {tflite::BuiltinOperator::CONV_2D, 2, 3, convertWindowed<tflite::Conv2DOptions, nn::Conv2dOp>},
    {tflite::BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3,
     convertWindowed<tflite::DepthwiseConv2DOptions, nn::DepthwiseConv2dOp>},
    {tflite::BuiltinOperator::FULLY_CONNECTED, 2, 3, convertFullyConnected},
};

} // namespace

ArrayRef<TfliteConverter> tfliteConvConverters() { return kConverters; }

FailureOr<std::array<int64_t, 4>> explicitPadding(TfliteOperator &op, const ImpliedWindow &window) {
  std::array<int64_t, 4> pad{};
  for (unsigned axis : {0, 1}) {
    if (window.stride[axis] < 1 || window.dilation[axis] < 1 || window.kernel[axis] < 1)
      return op.malformed("has a window with stride " + Twine(window.stride[axis]) + ", dilation " +
                          Twine(window.dilation[axis]) + ", extent " + Twine(window.kernel[axis]) +
                          "; all must be positive");
    if (window.padding != tflite::Padding::SAME)
      continue;
    auto same = samePadding(op, {window.input[axis], window.kernel[axis], window.stride[axis], window.dilation[axis]});
    if (failed(same))
      return failure();
    llvm::copy(*same, &pad[2 * axis]);
  }
  return pad;
}

std::array<int64_t, 2> transposedPadding(tflite::Padding padding, int64_t input, int64_t output, int64_t kernel,
                                         int64_t stride) {
  const int64_t inputs = (output + stride - 1) / stride;
  const int64_t total = padding == tflite::Padding::SAME ? (inputs - 1) * stride + kernel - output : 0;
  const int64_t before = std::max<int64_t>(total, 0) / 2;
  return {before, (input - 1) * stride + kernel - output - before};
}

} // namespace avocet::compiler
