//===- ExportConv.cpp - Convolutions, matrix products, pools ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer becomes the sums of TOSA, a rescale with the multipliers of the device, and a clamp.
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/LayerNumerics.h"

#include "llvm/Support/ScopedPrinter.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A layer with weights.
class Layer {
public:
  Layer(ExportedOperation &op, Value input, Value filter, Value bias)
      : op(op), input_(input), filter_(filter), bias_(bias) {}

  /// Whether TOSA has it. Refuses operands of different kinds, as in hybrid layers.
  bool read() {
    if (isQuantized(input_) != isQuantized(filter_))
      return op.refuse("filter", "numbers of the input's kind", llvm::to_string(elementOf(filter_))), false;
    input = op.value(input_);
    filter = op.value(filter_);
    if (!input || !filter)
      return false;
    const Type element = elementOf(input);
    sums = isa<FloatType>(element) ? element : op.builder().getIntegerType(element.isInteger(16) ? 48 : 32);
    bias = importedBias();
    return bool(bias);
  }

  ExportedOperation &op;
  Value input, filter, bias;
  Type sums; ///< element type: i32, i48 of 16-bit numbers, or that of floats

  Value inputZero() { return zeroOf(input_, input); }
  Value filterZero() { return zeroOf(filter_, filter); }

  /// The sums of a convolution, whose operands and attributes end with these.
  template <typename TosaOp, typename... Attributes>
  Value convolve(ArrayRef<int64_t> shape, Value images, Value weights, const Attributes &...attributes) {
    // Sums of floats of 16 bits are f32.
    const Type accumulator = sums.isF16() ? op.builder().getF32Type() : sums;
    return op.create<TosaOp>(sums, shape, images, weights, bias, inputZero(), filterZero(), attributes..., accumulator);
  }

  /// Rescales the sums to the numbers of the result, if it has no sums.
  LogicalResult finish(Value value) {
    const nn::Activation activation = nn::activationOf(op.source());
    if (!isQuantized(op.result()))
      return op.finish(op.clamped(value, activation));
    const LayerNumerics numerics = numericsOfLayer(op.source());
    const bool isWide = sums.isInteger(48);
    const ChannelRescales channels(quantizationOf(input_), cast<quant::QuantizedType>(elementOf(filter_)),
                                   quantizationOf(op.result()), numerics, isWide);
    SmallVector<firmware::Rescale> rescales;
    for (size_t channel = 0; channel < channels.count(); ++channel)
      rescales.push_back(channels[channel]);
    return op.finishRescaled(value, op.factorsOf(rescales, numerics.rounding(), isWide), activation);
  }

private:
  Value zeroOf(Value own, Value value) {
    return op.number(elementOf(value), static_cast<double>(ExportedOperation::zeroPointOf(own)));
  }

  /// A bias of zeros if there is none. Sums of 48 bits need one of them, which the network has as i64.
  Value importedBias() {
    if (!bias_)
      return op.number(sums, 0);
    if (!sums.isInteger(48))
      return op.value(bias_);
    auto constant = bias_.getDefiningOp<nn::ConstantOp>();
    if (!constant || !elementOf(bias_).isInteger(64))
      return op.refuse("bias", "a constant of i64 for 16-bit numbers", llvm::to_string(bias_.getType()));
    std::vector<uint8_t> splat;
    const ArrayRef<uint8_t> bytes = constantBytes(constant, splat);
    SmallVector<APInt> elements;
    for (size_t place = 0; place < bytes.size(); place += sizeof(int64_t))
      elements.emplace_back(48, llvm::support::endian::read64le(&bytes[place]), /*isSigned=*/true,
                            /*implicitTrunc=*/true);
    return op.constant(DenseElementsAttr::get(RankedTensorType::get(shapeOf(bias_), sums), elements));
  }

  Value input_, filter_, bias_; ///< of the network
};

/// TOSA has no rows after the last window: they leave the padding, else the input.
Value withoutRest(ExportedOperation &op, Value input, ArrayRef<int64_t> reach, ArrayRef<int64_t> stride,
                  SmallVectorImpl<int64_t> &pad) {
  if (!input)
    return input;
  SmallVector<int64_t> extents(shapeOf(input));
  for (unsigned axis : {0, 1}) {
    int64_t &after = pad[2 * axis + 1];
    const int64_t rest = (extents[1 + axis] + pad[2 * axis] + after - reach[axis]) % stride[axis];
    const int64_t fromPad = std::min(rest, after);
    after -= fromPad;
    extents[1 + axis] -= rest - fromPad;
  }
  return op.slice(input, {0, 0, 0, 0}, extents);
}

/// `filterShape`: as TOSA has it; `kernel`: height and width.
template <typename TosaOp, typename Op>
LogicalResult finishWindow(Layer &layer, Op source, ArrayRef<int64_t> filterShape, ArrayRef<int64_t> kernel) {
  SmallVector<int64_t> pad(source.getPad()), reach;
  for (unsigned axis : {0, 1})
    reach.push_back((kernel[axis] - 1) * source.getDilation()[axis] + 1);
  Value images = withoutRest(layer.op, layer.input, reach, source.getStride(), pad);
  return layer.finish(layer.convolve<TosaOp>(shapeOf(source.getOutput()), images,
                                             layer.op.reshape(layer.filter, filterShape), ArrayRef(pad),
                                             source.getStride(), source.getDilation()));
}

LogicalResult finishConv(Layer &layer, nn::Conv2dOp source) {
  const ArrayRef<int64_t> filter = shapeOf(source.getFilter());
  return finishWindow<tosa::Conv2DOp>(layer, source, filter, filter.slice(1, 2));
}

LogicalResult finishDepthwise(Layer &layer, nn::DepthwiseConv2dOp source) {
  const ArrayRef<int64_t> filter = shapeOf(source.getFilter());
  const int64_t channels = shapeOf(source.getInput())[3];
  return finishWindow<tosa::DepthwiseConv2DOp>(layer, source, {filter[1], filter[2], channels, filter[3] / channels},
                                               filter.slice(1, 2));
}

LogicalResult finishTransposed(Layer &layer, nn::TransposeConv2dOp source) {
  const auto outPad = llvm::map_to_vector(source.getPad(), [](int64_t rows) { return -rows; });
  return layer.finish(layer.convolve<tosa::TransposeConv2DOp>(shapeOf(source.getOutput()), layer.input, layer.filter,
                                                              ArrayRef(outPad), source.getStride()));
}

/// Rows are images of one pixel.
LogicalResult finishFullyConnected(Layer &layer, nn::FullyConnectedOp) {
  const int64_t outputs = shapeOf(layer.filter)[0], depth = shapeOf(layer.filter)[1];
  const int64_t rows = tensorOf(layer.input).getNumElements() / depth;
  const SmallVector<int64_t> none(4, 0), ones(2, 1);
  return layer.finish(layer.convolve<tosa::Conv2DOp>(
      {rows, 1, 1, outputs}, layer.op.reshape(layer.input, {rows, 1, 1, depth}),
      layer.op.reshape(layer.filter, {outputs, 1, 1, depth}), ArrayRef(none), ArrayRef(ones), ArrayRef(ones)));
}

template <auto finish, typename Op> LogicalResult exportLayer(ExportedOperation &op, Op source) {
  Layer layer(op, source.getInput(), source.getFilter(), source.getBias());
  return layer.read() ? finish(layer, source) : failure();
}

/// The matrices along one axis, with rows and columns in order.
Value matricesOf(ExportedOperation &op, Value value, bool isTransposed) {
  const ArrayRef<int64_t> extents = shapeOf(value);
  Value matrices =
      op.reshape(value, {llvm::product_of(extents.drop_back(2)), extents[extents.size() - 2], extents.back()});
  return isTransposed ? op.transpose(matrices, {0, 2, 1}) : matrices;
}

LogicalResult exportMatMul(ExportedOperation &op, nn::BatchMatmulOp source) {
  Layer layer(op, source.getLhs(), source.getRhs(), Value());
  if (!layer.read())
    return failure();
  Value lhs = matricesOf(op, layer.input, source.getTransposeLhs());
  Value rhs = matricesOf(op, layer.filter, source.getTransposeRhs());
  const int64_t rows = shapeOf(lhs)[1], depth = shapeOf(lhs)[2];
  // One right matrix multiplies the rows of all left ones.
  if (shapeOf(rhs)[0] == 1)
    lhs = op.reshape(lhs, {1, shapeOf(lhs)[0] * rows, depth});
  else if (shapeOf(source.getLhs()).drop_back(2) != shapeOf(source.getRhs()).drop_back(2))
    return op.refuse("inputs", "equal extents before the last two, or one right matrix",
                     nn::textOf(shapeOf(source.getRhs())), nn::textOf(shapeOf(source.getLhs())));
  return layer.finish(op.create<tosa::MatMulOp>(layer.sums, {shapeOf(lhs)[0], shapeOf(lhs)[1], shapeOf(rhs)[2]}, lhs,
                                                rhs, layer.inputZero(), layer.filterZero()));
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Whether the number of elements of a window may be even, so that there are halves to round.
bool mayHaveHalves(nn::AveragePool2dOp source) {
  const auto isOdd = [](int64_t rows) { return rows % 2 == 1; };
  const auto isNone = [](int64_t rows) { return rows == 0; };
  return !llvm::all_of(source.getKernel(), isOdd) || !llvm::all_of(source.getPad(), isNone);
}

/// Stored numbers are averaged with the zero point 0, as the device does. Halves of unsigned ones are rounded as those
/// above -128, unless they are averaged around 128.
LogicalResult exportAverage(ExportedOperation &op, nn::AveragePool2dOp source) {
  SmallVector<int64_t> pad(source.getPad());
  Value input = withoutRest(op, op.operand(), source.getKernel(), source.getStride(), pad);
  const bool isFromLowest = isUnsignedByte(source.getInput()) && !source.getCentered() && mayHaveHalves(source);
  const Type element = op.resultElement();
  Value zero = op.number(element, isFromLowest ? INT8_MIN : 0);
  const Type sums = isa_and_present<FloatType>(element) ? Type(op.builder().getF32Type()) : op.i32();
  Value pooled = op.create<tosa::AvgPool2dOp>(element, op.resultShape(), input, zero, zero, source.getKernel(),
                                              source.getStride(), ArrayRef(pad), sums);
  return op.finish(op.clamped(pooled, source.getActivation()));
}

LogicalResult exportMaximum(ExportedOperation &op, nn::MaxPool2dOp source) {
  SmallVector<int64_t> pad(source.getPad());
  Value input = withoutRest(op, op.operand(), source.getKernel(), source.getStride(), pad);
  Value pooled = op.create<tosa::MaxPool2dOp>(op.resultElement(), op.resultShape(), input, source.getKernel(),
                                              source.getStride(), ArrayRef(pad));
  return op.finish(op.clamped(pooled, source.getActivation()));
}

constexpr TosaExporter kExporters[] = {
    kConverts<exportAverage>,
    kConverts<exportLayer<finishConv, nn::Conv2dOp>>,
    kConverts<exportLayer<finishDepthwise, nn::DepthwiseConv2dOp>>,
    kConverts<exportLayer<finishFullyConnected, nn::FullyConnectedOp>>,
    kConverts<exportLayer<finishTransposed, nn::TransposeConv2dOp>>,
    kConverts<exportMatMul>,
    kConverts<exportMaximum>,
};

} // namespace

ArrayRef<TosaExporter> convExporters() { return kExporters; }

} // namespace avocet::compiler
