//===- NnCellOps.cpp - Cells of recurrent networks, and sequences of them ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"
#include "avocet/kernels/Quantization.h"

#include <cmath>

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// Fails unless the group has one of the counts, and every tensor in it the shape.
LogicalResult verifyGroup(Operation *op, StringRef name, ValueRange values, ArrayRef<size_t> counts,
                          ArrayRef<int64_t> shape) {
  if (!llvm::is_contained(counts, values.size()))
    return op->emitOpError() << name << " has " << values.size() << " tensors, must have " << counts.back();
  for (Value value : values)
    if (failed(verifyShape(op, name, value, shape)))
      return failure();
  return success();
}

/// Fails unless the type is per-tensor quantized with this storage, and with zero point 0 if it must be.
LogicalResult verifyStorage(Operation *op, StringRef name, Type type, unsigned bits, bool isSymmetric) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  if (!quantized || quantized.getStorageTypeIntegralWidth() != bits || !quantized.isSigned() ||
      (isSymmetric && quantized.getZeroPoint() != 0))
    return op->emitOpError() << name << " has elements of " << type << ", must be signed " << bits
                             << "-bit per-tensor quantized" << (isSymmetric ? " with zero point 0" : "");
  return success();
}

LogicalResult verifyStorage(Operation *op, StringRef name, ValueRange values, unsigned bits, bool isSymmetric) {
  for (Value value : values)
    if (failed(verifyStorage(op, name, elementOf(value), bits, isSymmetric)))
      return failure();
  return success();
}

LogicalResult verifyIntegers(Operation *op, StringRef name, ValueRange values) {
  for (Value value : values)
    if (!elementOf(value).isInteger(32))
      return op->emitOpError() << name << " of a quantized cell must be i32";
  return success();
}

/// Checks that all values except the weights of a hybrid cell have the input's float type.
LogicalResult verifyFloats(Operation *op, ValueRange weights) {
  const bool isHybrid = !weights.empty() && isQuantized(weights.front());
  if (isHybrid && !elementOf(op->getOperand(0)).isF32())
    return op->emitOpError("8-bit weights need an f32 input");
  if (isHybrid && failed(verifyStorage(op, "weights of a hybrid cell", weights, 8, /*isSymmetric=*/true)))
    return failure();
  SmallVector<Value> values;
  for (ValueRange range : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : range)
      if (!isHybrid || !llvm::is_contained(weights, value))
        values.push_back(value);
  return verifySameElements(op, values);
}

LogicalResult verifyProjection(LstmCellOp op, int64_t outputs, int64_t cells) {
  auto projection = op.getProjection();
  if (projection.empty() && outputs != cells)
    return op.emitOpError() << "has " << outputs << " outputs of " << cells << " cells, but no projection";
  if (projection.size() > 2)
    return op.emitOpError("has more than a projection and its bias");
  if (!projection.empty() && failed(verifyShape(op, "projection", projection[0], {outputs, cells})))
    return failure();
  return projection.size() < 2 ? success() : verifyShape(op, "projection bias", projection[1], {outputs});
}

SmallVector<Value> weightsOf(LstmCellOp op) {
  SmallVector<Value> weights(op.getInputWeights());
  weights.append(op.getRecurrentWeights().begin(), op.getRecurrentWeights().end());
  weights.append(op.getProjection().begin(), op.getProjection().end());
  if (op.getProjection().size() == 2) // the bias
    weights.pop_back();
  return weights;
}

LogicalResult verifyIntermediates(LstmCellOp op) {
  const size_t gates = op.getBiases().size();
  ArrayAttr types = op.getIntermediatesAttr();
  if (!types || types.size() != gates + 1)
    return op.emitOpError() << "a quantized cell needs intermediate types of " << gates
                            << " gates and of the hidden state";
  for (auto [position, type] : llvm::enumerate(types.getAsValueRange<TypeAttr>()))
    if (failed(verifyStorage(op, "intermediate", type, position < gates ? 16 : 8, position < gates)))
      return failure();
  if (op.getActivation() != CellActivation::Tanh)
    return op.emitOpError("the activation of a quantized cell must be tanh");
  return success();
}

LogicalResult verifyQuantized(LstmCellOp op) {
  if (failed(verifyStorage(op, "input, output or output state",
                           ValueRange{op.getInput(), op.getOutputState(), op.getOutputStateOut(), op.getOutput()}, 8,
                           false)) ||
      failed(verifyStorage(op, "cell state or gates",
                           ValueRange{op.getCellState(), op.getCellStateOut(), op.getGates()}, 16, true)) ||
      failed(verifySameElements(op, ValueRange{op.getOutputState(), op.getOutputStateOut(), op.getOutput()})) ||
      failed(verifySameElements(op, ValueRange{op.getCellState(), op.getCellStateOut()})) ||
      failed(verifyStorage(op, "weights", weightsOf(op), 8, true)) ||
      failed(verifyStorage(op, "peepholes", op.getPeepholes(), 16, true)) ||
      failed(verifyStorage(op, "layer norm", op.getLayerNorm(), 16, true)) ||
      failed(verifyIntegers(op, "biases", op.getBiases())) ||
      failed(verifyIntegers(op, "projection bias", op.getProjection().drop_front(op.getProjection().empty() ? 0 : 1))))
    return failure();
  return verifyIntermediates(op);
}

/// The width of time weights and state: that of the state, 8 or 16 bits.
unsigned stateBits(SvdfOp op) {
  auto type = dyn_cast<quant::QuantizedType>(elementOf(op.getState()));
  return type && type.getStorageTypeIntegralWidth() == 8 ? 8 : 16;
}

LogicalResult verifyQuantized(SvdfOp op) {
  const unsigned bits = stateBits(op);
  if (failed(verifyStorage(op, "input, feature weights or output",
                           ValueRange{op.getInput(), op.getFeatureWeights(), op.getOutput()}, 8, false)) ||
      failed(verifyStorage(op, "feature weights", ValueRange(op.getFeatureWeights()), 8, true)) ||
      failed(verifyStorage(op, "time weights", ValueRange(op.getTimeWeights()), bits, true)) ||
      failed(verifyStorage(op, "state", ValueRange{op.getState(), op.getStateOut()}, bits, bits == 16)) ||
      failed(verifySameElements(op, ValueRange{op.getState(), op.getStateOut()})) ||
      (op.getBias() && failed(verifyIntegers(op, "bias", op.getBias()))))
    return failure();
  return op.getActivation() == CellActivation::None ? success() : op.emitOpError("a quantized cell has no activation");
}

/// Whether a scale is `fixed`, a power of two. The reference takes those of 16-bit numbers for exponents.
bool isFixedScale(quant::UniformQuantizedType type, double fixed) {
  if (type.getStorageTypeIntegralWidth() == 16)
    return avocet::kernels::scaleExponent(static_cast<float>(type.getScale())) == std::ilogb(fixed);
  return type.getScale() == fixed;
}

/// Fails unless the type is 16-bit signed or 8-bit unsigned, with these figures.
LogicalResult verifyFormat(Operation *op, StringRef name, Value value, bool is16Bit, double scale, int64_t zeroPoint) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(value));
  if (!type || type.getStorageTypeIntegralWidth() != (is16Bit ? 16 : 8) || type.isSigned() != is16Bit ||
      !isFixedScale(type, scale) || type.getZeroPoint() != zeroPoint)
    return op->emitOpError() << name << " has elements of " << elementOf(value) << ", must have "
                             << (is16Bit ? "16 signed" : "8 unsigned") << " bits, scale " << scale << " and zero point "
                             << zeroPoint;
  return success();
}

} // namespace

LogicalResult Quantized16bitLstmOp::verify() {
  const int64_t features = tensorOf(getInput()).getDimSize(1);
  const int64_t cells = tensorOf(getCellState()).getDimSize(1);
  if (failed(verifyGroup(*this, "input weights", getInputWeights(), {4}, {cells, features})) ||
      failed(verifyGroup(*this, "recurrent weights", getRecurrentWeights(), {4}, {cells, cells})) ||
      failed(verifyGroup(*this, "biases", getBiases(), {4}, {cells})) ||
      failed(verifyIntegers(*this, "biases", getBiases())))
    return failure();
  for (Value value : {getInput(), getOutputState(), getOutput()})
    if (failed(verifyFormat(*this, "input, output or output state", value, false, 1.0 / 128, 128)))
      return failure();
  for (Value value : {getCellState(), getCellStateOut()})
    if (failed(verifyFormat(*this, "cell state", value, true, 1.0 / 2048, 0)))
      return failure();
  SmallVector<Value> weights(getInputWeights());
  weights.append(getRecurrentWeights().begin(), getRecurrentWeights().end());
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(weights.front()));
  if (!type || type.isSigned())
    return emitOpError("weights must be unsigned 8-bit quantized");
  return verifySameElements(*this, weights);
}

LogicalResult LstmCellOp::verify() {
  if (failed(isQuantized(getInput()) ? verifyQuantized(*this) : verifyFloats(*this, weightsOf(*this))))
    return failure();
  int64_t outputs = tensorOf(getOutputState()).getDimSize(1), cells = tensorOf(getCellState()).getDimSize(1);
  size_t gates = getInputWeights().size() == 3 ? 3 : 4;
  int64_t features = shapeOf(getInput()).back();
  if (failed(verifyGroup(*this, "input weights", getInputWeights(), {gates}, {cells, features})) ||
      failed(verifyGroup(*this, "recurrent weights", getRecurrentWeights(), {gates}, {cells, outputs})) ||
      failed(verifyGroup(*this, "peepholes", getPeepholes(), {0, gates - 1}, {cells})) ||
      failed(verifyGroup(*this, "biases", getBiases(), {gates}, {cells})) ||
      failed(verifyGroup(*this, "layer norm", getLayerNorm(), {0, gates}, {cells})))
    return failure();
  return verifyProjection(*this, outputs, cells);
}

LogicalResult RnnCellOp::verify() {
  if (failed(verifyFloats(*this, ValueRange{getWeights(), getRecurrentWeights()})))
    return failure();
  const int64_t units = tensorOf(getState()).getDimSize(1), features = shapeOf(getInput()).back();
  if (failed(verifyShape(*this, "weights", getWeights(), {units, features})) ||
      failed(verifyShape(*this, "recurrent weights", getRecurrentWeights(), {units, units})))
    return failure();
  return verifyShape(*this, "bias", getBias(), {units});
}

LogicalResult SvdfOp::verify() {
  if (failed(isQuantized(getInput()) ? verifyQuantized(*this) : verifyFloats(*this, ValueRange(getFeatureWeights()))))
    return failure();
  return getBias() ? verifyShape(*this, "bias", getBias(), shapeOf(getOutput()).take_back()) : success();
}

namespace {

constexpr size_t kGates = 4;

LogicalResult verifyGroup(Operation *op, StringRef name, ValueRange values, ArrayRef<int64_t> shape) {
  if (values.size() != kGates)
    return op->emitOpError() << name << " has " << values.size() << " tensors, needs one for each of " << kGates
                             << " gates";
  for (Value value : values)
    if (shapeOf(value) != shape)
      return op->emitOpError() << name << " has " << tensorOf(value) << ", shape must be [" << shape << "]";
  return success();
}

LogicalResult verifyWeights(Operation *op, ValueRange values, bool quantized) {
  for (Value value : values) {
    auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(value));
    if (quantized && (!type || !type.isSigned() || type.getZeroPoint() != 0))
      return op->emitOpError("weights must be int8 with one scale and zero point 0");
    if (!quantized && !elementOf(value).isF32())
      return op->emitOpError("weights of an f32 LSTM must be f32");
  }
  return success();
}

LogicalResult verifyStateTypes(LstmOp op, bool quantized) {
  if (!quantized)
    return op.getCellType() || op.getHiddenType() ? op.emitOpError("an f32 LSTM has no cell or hidden type")
                                                  : success();
  auto cell = dyn_cast_or_null<quant::UniformQuantizedType>(op.getCellType().value_or(Type()));
  auto hidden = dyn_cast_or_null<quant::UniformQuantizedType>(op.getHiddenType().value_or(Type()));
  if (!cell || cell.getStorageTypeIntegralWidth() != 16 || !cell.isSigned() || cell.getZeroPoint() != 0)
    return op.emitOpError("a quantized LSTM needs a 16-bit signed cell type with zero point 0");
  if (!hidden || hidden.getStorageTypeIntegralWidth() != 8 || !hidden.isSigned())
    return op.emitOpError("a quantized LSTM needs an 8-bit signed hidden type");
  return success();
}

} // namespace

LogicalResult LstmOp::verify() {
  const int64_t features = shapeOf(getInput()).back(), cells = shapeOf(getOutput()).back();
  if (failed(verifyGroup(*this, "input weights", getInputWeights(), {cells, features})) ||
      failed(verifyGroup(*this, "recurrent weights", getRecurrentWeights(), {cells, cells})) ||
      failed(verifyGroup(*this, "biases", getBiases(), {cells})) ||
      failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  bool quantized = isQuantized(getInput());
  if (quantized && !cast<quant::QuantizedType>(elementOf(getInput())).isSigned())
    return emitOpError("a quantized LSTM must be signed");
  for (Value bias : getBiases())
    if (elementOf(bias).isF32() == quantized)
      return emitOpError() << "biases must be " << (quantized ? "i32" : "f32");
  if (failed(verifyWeights(*this, getInputWeights(), quantized)) ||
      failed(verifyWeights(*this, getRecurrentWeights(), quantized)))
    return failure();
  return verifyStateTypes(*this, quantized);
}
