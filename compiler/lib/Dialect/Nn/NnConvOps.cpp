//===- NnConvOps.cpp - Convolutions and pooling -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "mlir/Dialect/Traits.h"

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
      return op->emitOpError() << "filter is quantised along axis " << perAxis.getQuantizedDimension()
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

/// Checks a float input with a quantised filter: the input is quantised at run time.
LogicalResult verifyHybrid(Operation *op, Value input, Value filter) {
  auto type = cast<quant::QuantizedType>(elementOf(filter));
  if (!elementOf(input).isF32() || !type.isSigned())
    return op->emitOpError("quantised filter of a float input must be signed, and the input f32");
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type); perTensor && perTensor.getZeroPoint() != 0)
    return op->emitOpError("zero point of a signed filter of an f32 input must be 0");
  return success();
}

unsigned storageWidth(Value value) {
  return cast<quant::QuantizedType>(elementOf(value)).getStorageTypeIntegralWidth();
}

/// Whether a quantised filter is signed with zero point 0; those with scales per channel were checked before.
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

/// Accepts the combinations that Nn_MacOp documents.
LogicalResult verifyElementTypes(Operation *op, Value input, Value filter, Value bias, Value output) {
  bool quantized = isQuantized(input);
  if (quantized != isQuantized(output) || (!quantized && elementOf(input) != elementOf(output)))
    return op->emitOpError("input and result must both be quantised or both of one float type");
  if (quantized && storageWidth(input) != storageWidth(output))
    return op->emitOpError() << "input and result must be quantised to the same width, are " << elementOf(input)
                             << " and " << elementOf(output);
  if (failed(verifyBiasType(op, input, bias)))
    return failure();
  if (quantized && isQuantized(filter) && storageWidth(input) == 16 && !isSymmetric(filter))
    return op->emitOpError("filter of a 16-bit input must be signed with zero point 0");
  if (quantized != isQuantized(filter))
    return quantized ? op->emitOpError("quantised input needs a quantised filter") : verifyHybrid(op, input, filter);
  if (!quantized && elementOf(filter) != elementOf(input))
    return op->emitOpError() << "filter must be of " << elementOf(input) << ", as the input is";
  return success();
}

LogicalResult verifyBias(Operation *op, Value bias, int64_t channels) {
  if (!bias || (tensorOf(bias).getRank() == 1 && tensorOf(bias).getDimSize(0) == channels))
    return success();
  return op->emitOpError() << "bias must have the shape [" << channels << "], has " << tensorOf(bias);
}

/// Common checks of conv_2d and depthwise_conv_2d; `heightAxis` is an axis of the filter.
template <typename ConvOp> LogicalResult verifyWindowedConv(ConvOp op, int32_t heightAxis, int32_t channelAxis) {
  if (failed(verifyRank(op, "input", op.getInput(), 4)) || failed(verifyRank(op, "filter", op.getFilter(), 4)) ||
      failed(verifyRank(op, "result", op.getOutput(), 4)) || failed(verifyArray(op, "stride", op.getStride(), 2, 1)) ||
      failed(verifyArray(op, "dilation", op.getDilation(), 2, 1)) || failed(verifyArray(op, "pad", op.getPad(), 4, 0)))
    return failure();
  auto input = tensorOf(op.getInput()), filter = tensorOf(op.getFilter()), output = tensorOf(op.getOutput());
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
  int64_t channels = tensorOf(getInput()).getDimSize(3), expected = tensorOf(getFilter()).getDimSize(3);
  if (channels != expected)
    return emitOpError() << "input has " << channels << " channels, the filter reads " << expected;
  return success();
}

LogicalResult DepthwiseConv2dOp::verify() {
  if (failed(verifyWindowedConv(*this, 1, 3)))
    return failure();
  auto filter = tensorOf(getFilter());
  if (filter.getDimSize(0) != 1)
    return emitOpError() << "first extent of the filter is " << filter.getDimSize(0) << ", must be 1";
  int64_t channels = tensorOf(getInput()).getDimSize(3);
  if (filter.getDimSize(3) % channels != 0)
    return emitOpError() << filter.getDimSize(3) << " output channels are no multiple of " << channels
                         << " input channels";
  return success();
}

LogicalResult GroupedConv2dOp::verify() {
  if (failed(verifyWindowedConv(*this, 1, 0)))
    return failure();
  int64_t groups = getGroups(), channels = tensorOf(getInput()).getDimSize(3);
  auto filter = tensorOf(getFilter());
  if (groups < 1 || filter.getDimSize(0) % groups != 0)
    return emitOpError() << filter.getDimSize(0) << " output channels do not fall into " << groups << " groups";
  if (channels % groups != 0 || channels / groups != filter.getDimSize(3))
    return emitOpError() << "input has " << channels << " channels, " << groups << " groups of the filter read "
                         << filter.getDimSize(3) << " each";
  return success();
}

/// The output extent along an axis of a transposed convolution.
static int64_t spreadExtent(TransposeConv2dOp op, int axis) {
  return avocet::firmware::windowsSpan(shapeOf(op.getInput())[1 + axis], op.getStride()[axis],
                                       shapeOf(op.getFilter())[1 + axis]) -
         op.getPad()[2 * axis] - op.getPad()[2 * axis + 1];
}

LogicalResult TransposeConv2dOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 4)) || failed(verifyRank(*this, "filter", getFilter(), 4)) ||
      failed(verifyRank(*this, "result", getOutput(), 4)) || failed(verifyArray(*this, "stride", getStride(), 2, 1)) ||
      failed(verifyArray(*this, "pad", getPad(), 4, INT32_MIN)))
    return failure();
  auto input = tensorOf(getInput()), filter = tensorOf(getFilter()), output = tensorOf(getOutput());
  if (getPad()[0] < 0 || getPad()[2] < 0)
    return emitOpError("padding before the first row and column must not be negative");
  SmallVector<int64_t> expected{input.getDimSize(0), spreadExtent(*this, 0), spreadExtent(*this, 1),
                                filter.getDimSize(0)};
  if (output.getShape() != ArrayRef(expected))
    return emitOpError() << "shape of the result is " << output << ", the operands give [" << expected << "]";
  if (input.getDimSize(3) != filter.getDimSize(3))
    return emitOpError() << "input has " << input.getDimSize(3) << " channels, the filter reads "
                         << filter.getDimSize(3);
  if (failed(verifyElementTypes(*this, getInput(), getFilter(), getBias(), getOutput())) ||
      failed(verifyWeightType(*this, getFilter(), 0)))
    return failure();
  return verifyBias(*this, getBias(), output.getDimSize(3));
}

LogicalResult FullyConnectedOp::verify() {
  if (failed(verifyRank(*this, "filter", getFilter(), 2)))
    return failure();
  auto input = tensorOf(getInput()), filter = tensorOf(getFilter()), output = tensorOf(getOutput());
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

namespace {

/// Rows and columns of the matrices in the last two axes, before a transposition.
struct Matrices {
  Matrices(Value value, bool isTransposed) : shape(shapeOf(value)) {
    const size_t rank = shape.size();
    rows = shape[rank - (isTransposed ? 1 : 2)];
    columns = shape[rank - (isTransposed ? 2 : 1)];
  }
  ArrayRef<int64_t> batch() const { return shape.drop_back(2); }

  ArrayRef<int64_t> shape;
  int64_t rows, columns;
};

/// A hybrid product has f32 values and 8-bit right matrices.
LogicalResult verifyHybridElements(BatchMatmulOp op) {
  auto rhs = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getRhs()));
  if (!elementOf(op.getLhs()).isF32() || !elementOf(op.getOutput()).isF32() || !rhs || !rhs.isSigned() ||
      rhs.getStorageTypeIntegralWidth() != 8 || rhs.getZeroPoint() != 0)
    return op.emitOpError("with a quantised right operand must have i8 with zero point 0 there, else f32");
  return success();
}

LogicalResult verifyProductElements(BatchMatmulOp op) {
  const bool quantized = isQuantized(op.getLhs());
  if (!quantized && isQuantized(op.getRhs()))
    return verifyHybridElements(op);
  for (Value other : {op.getRhs(), op.getOutput()})
    if (isQuantized(other) != quantized || (!quantized && elementOf(other) != elementOf(op.getLhs())))
      return op.emitOpError("operands and result must be of one float type, or all quantised");
  return success();
}

} // namespace

LogicalResult BatchMatmulOp::verify() {
  for (Value operand : getOperands())
    if (tensorOf(operand).getRank() < 2)
      return emitOpError() << "operands must have rank 2 or more, one is " << operand.getType();
  const Matrices lhs(getLhs(), getTransposeLhs()), rhs(getRhs(), getTransposeRhs());
  if (lhs.columns != rhs.rows)
    return emitOpError() << "rows of lhs have " << lhs.columns << " elements, columns of rhs " << rhs.rows;
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(lhs.batch(), rhs.batch(), shape))
    return emitOpError() << "batches of " << getLhs().getType() << " and " << getRhs().getType() << " do not broadcast";
  shape.append({lhs.rows, rhs.columns});
  if (shapeOf(getOutput()) != ArrayRef(shape))
    return emitOpError() << "shape of the result must be [" << shape << "], it is " << getOutput().getType();
  return verifyProductElements(*this);
}

namespace {

template <typename PoolOp> LogicalResult verifyPool(PoolOp op) {
  if (failed(verifyRank(op, "input", op.getInput(), 4)) || failed(verifyRank(op, "result", op.getOutput(), 4)) ||
      failed(verifyArray(op, "kernel", op.getKernel(), 2, 1)) ||
      failed(verifyArray(op, "stride", op.getStride(), 2, 1)) || failed(verifyArray(op, "pad", op.getPad(), 4, 0)) ||
      failed(verifySameElements(op, {op.getInput(), op.getOutput()})))
    return failure();
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  for (int axis : {0, 3})
    if (input.getDimSize(axis) != output.getDimSize(axis))
      return op.emitOpError() << (axis == 0 ? "batch" : "channels")
                              << " of input and result differ: " << input.getDimSize(axis) << " and "
                              << output.getDimSize(axis);
  for (int axis : {0, 1}) {
    int64_t before = op.getPad()[2 * axis], after = op.getPad()[2 * axis + 1], kernel = op.getKernel()[axis];
    StringRef name = axis == 0 ? "height" : "width";
    // A window that covers only padding has no mean and no maximum.
    if (before >= kernel || after >= kernel)
      return op.emitOpError() << "padding of the " << name << " reaches the window's " << kernel;
    Axis window{name, input.getDimSize(1 + axis), kernel, op.getStride()[axis], 1, before, after};
    if (failed(verifyAxis(op, window, output.getDimSize(1 + axis))))
      return failure();
  }
  return success();
}

} // namespace

LogicalResult AveragePool2dOp::verify() { return verifyPool(*this); }
LogicalResult MaxPool2dOp::verify() { return verifyPool(*this); }

LogicalResult L2Pool2dOp::verify() {
  if (isQuantized(getInput()))
    return emitOpError("input must be of floats");
  return verifyPool(*this);
}

LogicalResult MeanOp::verify() {
  if (failed(verifyReduction(*this, getInput(), getAxes(), getOutput())))
    return failure();
  return verifySameStorage(*this, {getInput(), getOutput()});
}
