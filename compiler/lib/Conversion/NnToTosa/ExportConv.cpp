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

/// Operands of a layer with weights.
struct Layer {
  Value input = {}, filter = {}, bias = {}, inputZero = {}, filterZero = {};
  Type sums = {}; ///< element type: i32, i48 of 16-bit numbers, or that of floats
};

bool hasWideSums(Value input) { return elementOf(input).isInteger(16); }

/// A bias of zeros if there is none. Sums of 48 bits need one of them, which the network has as i64.
Value biasOf(ExportedOperation &op, Value bias, Type sums) {
  if (!bias)
    return op.number(sums, 0);
  if (!sums.isInteger(48))
    return op.value(bias);
  auto constant = bias.getDefiningOp<nn::ConstantOp>();
  if (!constant || !elementOf(bias).isInteger(64))
    return op.refuse("bias", "a constant of i64 for 16-bit numbers", llvm::to_string(bias.getType()));
  std::vector<uint8_t> splat;
  const ArrayRef<uint8_t> bytes = constantBytes(constant, splat);
  SmallVector<APInt> elements;
  for (size_t place = 0; place < bytes.size(); place += sizeof(int64_t))
    elements.emplace_back(48, llvm::support::endian::read64le(&bytes[place]), /*isSigned=*/true,
                          /*implicitTrunc=*/true);
  return op.constant(DenseElementsAttr::get(RankedTensorType::get(shapeOf(bias), sums), elements));
}

/// Refuses operands of different kinds, as in hybrid layers.
FailureOr<Layer> layerOf(ExportedOperation &op, Value input, Value filter, Value bias) {
  if (isQuantized(input) != isQuantized(filter))
    return op.refuse("filter", "numbers of the input's kind", llvm::to_string(elementOf(filter)));
  Layer layer{op.value(input), op.value(filter)};
  if (!layer.input || !layer.filter)
    return failure();
  const Type element = elementOf(layer.input);
  layer.sums = isa<FloatType>(element) ? element : op.builder().getIntegerType(hasWideSums(layer.input) ? 48 : 32);
  layer.bias = biasOf(op, bias, layer.sums);
  const auto zero = [&](Value value, Type type) {
    return op.number(type, static_cast<double>(ExportedOperation::zeroPointOf(value)));
  };
  layer.inputZero = zero(input, element);
  layer.filterZero = zero(filter, elementOf(layer.filter));
  return layer.bias ? FailureOr<Layer>(layer) : FailureOr<Layer>(failure());
}

/// Rescales the sums to the numbers of the result, if it has no sums.
LogicalResult finishLayer(ExportedOperation &op, Value sums, Value input, Value filter) {
  const nn::Activation activation = nn::activationOf(op.source());
  if (!isQuantized(op.result()))
    return op.finish(op.clamped(sums, activation));
  const LayerNumerics numerics = numericsOfLayer(op.source());
  const bool isWide = elementOf(sums).isInteger(48);
  if (numerics.explicitly)
    return op.finishRescaled(sums, op.factorsOf(numerics.explicitly, isWide), activation);
  const ChannelRescales channels(quantizationOf(input), cast<quant::QuantizedType>(elementOf(filter)),
                                 quantizationOf(op.result()), numerics, isWide);
  SmallVector<firmware::Rescale> rescales;
  for (size_t channel = 0; channel < channels.count(); ++channel)
    rescales.push_back(channels[channel]);
  return op.finishRescaled(sums, op.factorsOf(rescales, numerics.rounding(), isWide), activation);
}

/// Sums of floats of 16 bits are f32.
Type accumulatorOf(ExportedOperation &op, Type sums) { return sums.isF16() ? op.builder().getF32Type() : sums; }

/// TOSA has no rows after the last window: they leave the padding, else the input.
Value withoutRest(ExportedOperation &op, Value input, ArrayRef<int64_t> reach, ArrayRef<int64_t> stride,
                  SmallVectorImpl<int64_t> &pad) {
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
LogicalResult exportWindow(ExportedOperation &op, Op source, ArrayRef<int64_t> filterShape, ArrayRef<int64_t> kernel) {
  FailureOr<Layer> layer = layerOf(op, source.getInput(), source.getFilter(), source.getBias());
  if (failed(layer))
    return failure();
  SmallVector<int64_t> pad(source.getPad()), reach;
  for (unsigned axis : {0, 1})
    reach.push_back((kernel[axis] - 1) * source.getDilation()[axis] + 1);
  Value input = withoutRest(op, layer->input, reach, source.getStride(), pad);
  Value sums = op.create<TosaOp>(layer->sums, op.resultShape(), input, op.reshape(layer->filter, filterShape),
                                 layer->bias, layer->inputZero, layer->filterZero, ArrayRef(pad), source.getStride(),
                                 source.getDilation(), accumulatorOf(op, layer->sums));
  return finishLayer(op, sums, source.getInput(), source.getFilter());
}

LogicalResult exportConv(ExportedOperation &op, nn::Conv2dOp source) {
  const ArrayRef<int64_t> filter = shapeOf(source.getFilter());
  return exportWindow<tosa::Conv2DOp>(op, source, filter, filter.slice(1, 2));
}

LogicalResult exportDepthwise(ExportedOperation &op, nn::DepthwiseConv2dOp source) {
  const ArrayRef<int64_t> filter = shapeOf(source.getFilter());
  const int64_t channels = shapeOf(source.getInput())[3];
  return exportWindow<tosa::DepthwiseConv2DOp>(op, source, {filter[1], filter[2], channels, filter[3] / channels},
                                               filter.slice(1, 2));
}

LogicalResult exportTransposed(ExportedOperation &op, nn::TransposeConv2dOp source) {
  FailureOr<Layer> layer = layerOf(op, source.getInput(), source.getFilter(), source.getBias());
  if (failed(layer))
    return failure();
  const auto outPad = llvm::map_to_vector(source.getPad(), [](int64_t rows) { return -rows; });
  Value sums = op.create<tosa::TransposeConv2DOp>(layer->sums, op.resultShape(), layer->input, layer->filter,
                                                  layer->bias, layer->inputZero, layer->filterZero, ArrayRef(outPad),
                                                  source.getStride(), accumulatorOf(op, layer->sums));
  return finishLayer(op, sums, source.getInput(), source.getFilter());
}

/// Rows are images of one pixel.
LogicalResult exportFullyConnected(ExportedOperation &op, nn::FullyConnectedOp source) {
  FailureOr<Layer> layer = layerOf(op, source.getInput(), source.getFilter(), source.getBias());
  if (failed(layer))
    return failure();
  const int64_t outputs = shapeOf(layer->filter)[0], depth = shapeOf(layer->filter)[1];
  const int64_t rows = tensorOf(layer->input).getNumElements() / depth;
  const std::array<int64_t, 4> none{0, 0, 0, 0};
  const std::array<int64_t, 2> ones{1, 1};
  Value sums = op.create<tosa::Conv2DOp>(
      layer->sums, {rows, 1, 1, outputs}, op.reshape(layer->input, {rows, 1, 1, depth}),
      op.reshape(layer->filter, {outputs, 1, 1, depth}), layer->bias, layer->inputZero, layer->filterZero,
      ArrayRef<int64_t>(none), ArrayRef<int64_t>(ones), ArrayRef<int64_t>(ones), accumulatorOf(op, layer->sums));
  return finishLayer(op, sums, source.getInput(), source.getFilter());
}

/// The matrices along one axis, with rows and columns in order.
Value matricesOf(ExportedOperation &op, Value value, bool isTransposed) {
  const ArrayRef<int64_t> extents = shapeOf(value);
  Value matrices =
      op.reshape(value, {llvm::product_of(extents.drop_back(2)), extents[extents.size() - 2], extents.back()});
  return isTransposed ? op.transpose(matrices, {0, 2, 1}) : matrices;
}

LogicalResult exportMatMul(ExportedOperation &op, nn::BatchMatmulOp source) {
  FailureOr<Layer> layer = layerOf(op, source.getLhs(), source.getRhs(), Value());
  if (failed(layer))
    return failure();
  Value lhs = matricesOf(op, layer->input, source.getTransposeLhs());
  Value rhs = matricesOf(op, layer->filter, source.getTransposeRhs());
  const int64_t rows = shapeOf(lhs)[1], depth = shapeOf(lhs)[2];
  // One right matrix multiplies the rows of all left ones.
  if (shapeOf(rhs)[0] == 1)
    lhs = op.reshape(lhs, {1, shapeOf(lhs)[0] * rows, depth});
  else if (shapeOf(source.getLhs()).drop_back(2) != shapeOf(source.getRhs()).drop_back(2))
    return op.refuse("inputs", "equal extents before the last two, or one right matrix",
                     nn::textOf(shapeOf(source.getRhs())), nn::textOf(shapeOf(source.getLhs())));
  Value sums = op.create<tosa::MatMulOp>(layer->sums, {shapeOf(lhs)[0], shapeOf(lhs)[1], shapeOf(rhs)[2]}, lhs, rhs,
                                         layer->inputZero, layer->filterZero);
  return finishLayer(op, sums, source.getLhs(), source.getRhs());
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
  Value input = op.operand();
  if (!input)
    return failure();
  const Type element = elementOf(input);
  SmallVector<int64_t> pad(source.getPad());
  input = withoutRest(op, input, source.getKernel(), source.getStride(), pad);
  const bool isFromLowest = isUnsignedByte(source.getInput()) && !source.getCentred() && mayHaveHalves(source);
  Value zero = op.number(element, isFromLowest ? INT8_MIN : 0);
  const Type sums = isa<FloatType>(element) ? Type(op.builder().getF32Type()) : op.i32();
  Value pooled = op.create<tosa::AvgPool2dOp>(element, op.resultShape(), input, zero, zero, source.getKernel(),
                                              source.getStride(), ArrayRef(pad), sums);
  return op.finish(op.clamped(pooled, source.getActivation()));
}

LogicalResult exportMaximum(ExportedOperation &op, nn::MaxPool2dOp source) {
  Value input = op.operand();
  if (!input)
    return failure();
  SmallVector<int64_t> pad(source.getPad());
  input = withoutRest(op, input, source.getKernel(), source.getStride(), pad);
  Value pooled = op.create<tosa::MaxPool2dOp>(elementOf(input), op.resultShape(), input, source.getKernel(),
                                              source.getStride(), ArrayRef(pad));
  return op.finish(op.clamped(pooled, source.getActivation()));
}

constexpr TosaExporter kExporters[] = {
    kExports<exportAverage>, kExports<exportConv>,    kExports<exportDepthwise>,  kExports<exportFullyConnected>,
    kExports<exportMatMul>,  kExports<exportMaximum>, kExports<exportTransposed>,
};

} // namespace

ArrayRef<TosaExporter> convExporters() { return kExporters; }

} // namespace avocet::compiler
