//===- TfliteConv.cpp - Convolutions and pooling ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/MatrixProduct.h"
#include "TfliteWindow.h"
#include "avocet/firmware_iface/WindowInputs.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Operands that the three operators share.
struct MacOperands {
  Value input, filter, bias; ///< bias may be null
};

FailureOr<MacOperands> macOperands(TfliteOperator &op) {
  Value filter = op.parameter(1, "filter");
  MacOperands operands{op.value(0, "input"), filter, {}};
  if (!operands.input || !operands.filter)
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
template <typename Options, typename ConvOp>
LogicalResult convertWindowed(TfliteOperator &op, const Options &options, nn::Activation activation) {
  FailureOr<MacOperands> operands = macOperands(op);
  if (failed(operands))
    return failure();
  auto input = extents(op, operands->input, "input", 1), kernel = extents(op, operands->filter, "filter", 1);
  if (failed(input) || failed(kernel))
    return failure();
  std::array<int64_t, 2> stride{options.stride_h(), options.stride_w()};
  std::array<int64_t, 2> dilation{options.dilation_h(), options.dilation_w()};
  auto pad = explicitPadding(op, {options.padding(), *input, *kernel, stride, dilation});
  if (failed(pad))
    return failure();
  if constexpr (std::is_same_v<ConvOp, nn::Conv2dOp>) {
    const int64_t channels = shapeOf(operands->input)[3];
    ArrayRef<int64_t> filter = shapeOf(operands->filter);
    if (int64_t groups = groupsOf(channels, filter[3], filter[0]); groups > 1)
      return finish<nn::GroupedConv2dOp>(op, operands->input, operands->filter, operands->bias, groups, stride,
                                         dilation, *pad, activation);
  }
  return finish<ConvOp>(op, operands->input, operands->filter, operands->bias, stride, dilation, *pad, activation);
}

LogicalResult convertFullyConnected(TfliteOperator &op, const tflite::FullyConnectedOptions &options,
                                    nn::Activation activation) {
  if (options.weights_format() != tflite::WeightsFormat::DEFAULT)
    return op.refuse("filter", "weights are in plain order", "a shuffled format");
  FailureOr<MacOperands> operands = macOperands(op);
  if (failed(operands))
    return failure();
  return finish<nn::FullyConnectedOp>(op, operands->input, operands->filter, operands->bias, options.keep_num_dims(),
                                      activation);
}

LogicalResult convertBatchMatmul(TfliteOperator &op, const tflite::BatchMatMulOptions *options) {
  return convertMatrixProduct(op, options && options->adj_x(), options && options->adj_y(),
                              options && options->asymmetric_quantize_inputs());
}

} // namespace

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
  const int64_t total = padding == tflite::Padding::SAME ? firmware::samePaddingOf(output, stride, kernel) : 0;
  const int64_t before = std::max<int64_t>(total, 0) / 2;
  return {before, firmware::windowsSpan(input, stride, kernel) - output - before};
}

namespace {

template <typename PoolOp>
LogicalResult convertPool(TfliteOperator &op, const tflite::Pool2DOptions &options, nn::Activation activation) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  auto image = extents(op, input, "input", 1);
  if (failed(image))
    return failure();
  std::array<int64_t, 2> kernel{options.filter_height(), options.filter_width()};
  std::array<int64_t, 2> stride{options.stride_h(), options.stride_w()};
  auto pad = explicitPadding(op, {options.padding(), *image, kernel, stride, {1, 1}});
  if (failed(pad))
    return failure();
  return finish<PoolOp>(op, input, kernel, stride, *pad, activation);
}

struct TransposedLayer {
  Value input, filter, bias; ///< bias may be null
  std::array<int64_t, 2> stride;
};

/// Fails after a report unless input and filter are images and the strides are positive.
LogicalResult checkLayer(TfliteOperator &op, const TransposedLayer &layer) {
  for (auto [name, value] : {std::pair("input", layer.input), std::pair("filter", layer.filter)})
    if (failed(extents(op, value, name, 1)))
      return failure();
  for (int64_t stride : layer.stride)
    if (stride < 1)
      return op.malformed("has the stride " + Twine(stride));
  return success();
}

LogicalResult finishLayer(TfliteOperator &op, const TransposedLayer &layer, const std::array<int64_t, 4> &pad,
                          nn::Activation activation) {
  return finish<nn::TransposeConv2dOp>(op, layer.input, layer.filter, layer.bias, layer.stride, pad, activation);
}

//===----------------------------------------------------------------------===//
// TRANSPOSE_CONV
//===----------------------------------------------------------------------===//

/// The bias of a transposed convolution, or null. The reference has 32-bit sums of 16-bit inputs without a bias, as
/// with one of 32 bits; other layers have sums of 64 bits then.
Value transposedBias(TfliteOperator &op, Value input, int64_t channels) {
  auto quantized = dyn_cast<quant::QuantizedType>(elementOf(input));
  if (op.hasInput(3) || !quantized || quantized.getStorageTypeIntegralWidth() != 16)
    return op.hasInput(3) ? op.parameter(3, "bias") : Value();
  auto type = RankedTensorType::get({channels}, op.builder().getI32Type());
  return filled(op, type, op.builder().getI32IntegerAttr(0));
}

/// Operands: shape of the result, filter, input, bias.
LogicalResult convertTransposeConv(TfliteOperator &op, const tflite::TransposeConvOptions &options,
                                   nn::Activation activation) {
  TransposedLayer layer{op.value(2, "input"), op.parameter(1, "filter"), {}, {options.stride_h(), options.stride_w()}};
  RankedTensorType result = op.resultType();
  if (!layer.filter || !layer.input || !result || failed(checkLayer(op, layer)))
    return failure();
  if (result.getRank() != 4)
    return op.malformed("has a result that is no image");
  layer.bias = transposedBias(op, layer.input, shapeOf(layer.filter)[0]);
  if (op.hasInput(3) && !layer.bias)
    return failure();
  std::array<int64_t, 4> pad;
  for (unsigned axis : {0, 1})
    llvm::copy(transposedPadding(options.padding(), shapeOf(layer.input)[1 + axis], result.getDimSize(1 + axis),
                                 shapeOf(layer.filter)[1 + axis], layer.stride[axis]),
               &pad[2 * axis]);
  return finishLayer(op, layer, pad, activation);
}

//===----------------------------------------------------------------------===//
// The custom operator Convolution2DTransposeBias
//===----------------------------------------------------------------------===//

/// Its options: three numbers of 32 bits. Writers add fields of later versions, which the operator ignores.
struct TransposeBiasOptions {
  int32_t padding, strideWidth, strideHeight;
};
constexpr int32_t kPaddingSame = 1, kPaddingValid = 2;

FailureOr<TransposeBiasOptions> optionsOf(TfliteOperator &op) {
  ArrayRef<uint8_t> bytes = op.customOptions();
  if (bytes.size() < 12)
    return op.malformed("has custom options of " + Twine(bytes.size()) + " bytes, must have 12 or more");
  auto field = [&](size_t index) {
    return static_cast<int32_t>(llvm::support::endian::read32le(bytes.data() + 4 * index));
  };
  TransposeBiasOptions options{field(0), field(1), field(2)};
  if (options.padding != kPaddingSame && options.padding != kPaddingValid)
    return op.malformed("has the padding " + Twine(options.padding) + ", must be 1 (same) or 2 (valid)");
  return options;
}

/// What SAME cuts from an axis of the whole result.
int64_t cutOf(const TransposeBiasOptions &options, int64_t input, int64_t kernel, int64_t stride) {
  return options.padding == kPaddingSame ? std::max<int64_t>(kernel - (input - 1) % stride - 1, 0) : 0;
}

LogicalResult convertTransposeConvBias(TfliteOperator &op) {
  if (op.numInputs() != 3 || op.numOutputs() != 1)
    return op.malformed("has " + Twine(op.numInputs()) + " operands and " + Twine(op.numOutputs()) +
                        " outputs, must have 3 and 1");
  FailureOr<TransposeBiasOptions> options = optionsOf(op);
  if (failed(options))
    return failure();
  TransposedLayer layer{op.value(0, "input"),
                        op.parameter(1, "filter"),
                        op.parameter(2, "bias"),
                        {options->strideHeight, options->strideWidth}};
  if (!layer.input || !layer.filter || !layer.bias || failed(checkLayer(op, layer)))
    return failure();
  if (!elementOf(layer.input).isF32())
    return op.refuse("input", "element type", "another one", "FLOAT32");
  std::array<int64_t, 4> pad;
  for (unsigned axis : {0, 1}) {
    const int64_t input = shapeOf(layer.input)[1 + axis], kernel = shapeOf(layer.filter)[1 + axis];
    const int64_t cut = cutOf(*options, input, kernel, layer.stride[axis]);
    pad[2 * axis] = cut / 2;
    pad[2 * axis + 1] = cut - cut / 2;
  }
  return finishLayer(op, layer, pad, nn::Activation::kNone);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::BATCH_MATMUL, 2, 2, withOptions<convertBatchMatmul>},
    {tflite::BuiltinOperator::CONV_2D, 2, 3, withOptions<convertWindowed<tflite::Conv2DOptions, nn::Conv2dOp>>},
    {tflite::BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3,
     withOptions<convertWindowed<tflite::DepthwiseConv2DOptions, nn::DepthwiseConv2dOp>>},
    {tflite::BuiltinOperator::FULLY_CONNECTED, 2, 3, withOptions<convertFullyConnected>},
    {tflite::BuiltinOperator::AVERAGE_POOL_2D, 1, 1, withOptions<convertPool<nn::AveragePool2dOp>>},
    {tflite::BuiltinOperator::L2_POOL_2D, 1, 1, withOptions<convertPool<nn::L2Pool2dOp>>},
    {tflite::BuiltinOperator::MAX_POOL_2D, 1, 1, withOptions<convertPool<nn::MaxPool2dOp>>},
    {tflite::BuiltinOperator::TRANSPOSE_CONV, 3, 4, withOptions<convertTransposeConv>},
    {tflite::BuiltinOperator::CUSTOM, 0, kAnyNumber, convertTransposeConvBias, 0, kAnyNumber,
     "Convolution2DTransposeBias"},
};

} // namespace

ArrayRef<TfliteConverter> tfliteConvConverters() { return kConverters; }

} // namespace avocet::compiler
