//===- TfliteRecurrent.cpp - UNIDIRECTIONAL_SEQUENCE_LSTM -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Positions of the operands; gates are in the order input, forget, cell, output.
constexpr uint32_t kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                   kHiddenState = 18, kCellState = 19, kNormalisation = 20, kNumInputs = 24;
constexpr uint32_t kGates = 4;
/// The intermediate that carries the quantisation of the hidden state before any projection.
constexpr uint32_t kHiddenIntermediate = 4;

/// Refuses variants of the cell for which the device has no kernel.
LogicalResult refuseVariants(TfliteOperator &op, const tflite::UnidirectionalSequenceLSTMOptions &options) {
  if (options.activation() != tflite::ActivationFunction::TANH)
    return op.refuse("fused activation", "is TANH", EnumNameActivationFunction(options.activation()));
  if (options.diagonal_recurrent_tensors())
    return op.refuse("recurrent weights", "are full matrices", "diagonals");
  for (uint32_t position = 0; position < kGates; ++position) {
    if (!op.hasInput(kInputWeights + position))
      return op.refuse("input weights", "are there for all gates", "coupled input and forget gate");
    if (op.hasInput(kNormalisation + position))
      return op.refuse("layer normalisation", "is absent", "coefficients");
  }
  for (uint32_t position = kPeepholes; position < kBiases; ++position)
    if (op.hasInput(position))
      return op.refuse("peephole weights", "are absent", "weights");
  if (op.hasInput(kProjection) || op.hasInput(kProjection + 1))
    return op.refuse("projection", "is absent", "weights");
  return success();
}

LogicalResult gateTensors(TfliteOperator &op, uint32_t first, StringRef operand, SmallVectorImpl<Value> &values) {
  for (uint32_t gate = 0; gate < kGates; ++gate) {
    values.push_back(op.weights(first + gate, operand));
    if (!values.back())
      return failure();
  }
  return success();
}

bool isQuantized(Value value) {
  return isa<quant::QuantizedType>(cast<RankedTensorType>(value.getType()).getElementType());
}

/// Element types of the cell state and of the hidden state before projection; null for f32.
LogicalResult stateTypes(TfliteOperator &op, bool quantized, TypeAttr &cell, TypeAttr &hidden) {
  RankedTensorType hiddenState = op.stateType(kHiddenState, "hidden state");
  RankedTensorType cellState = op.stateType(kCellState, "cell state");
  if (!hiddenState || !cellState)
    return failure();
  if (!quantized)
    return success();
  RankedTensorType inner = op.intermediateElement(kHiddenIntermediate, "hidden intermediate");
  if (!inner)
    return failure();
  if (inner.getElementType() != hiddenState.getElementType())
    return op.refuse("hidden intermediate", "has the scale and zero point of the hidden state", "others");
  cell = TypeAttr::get(cellState.getElementType());
  hidden = TypeAttr::get(hiddenState.getElementType());
  return success();
}

LogicalResult convertLstm(TfliteOperator &op) {
  auto *options = op.options<tflite::UnidirectionalSequenceLSTMOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  if (!input || !result || failed(refuseVariants(op, *options)))
    return failure();
  SmallVector<Value> inputWeights, recurrentWeights, biases;
  if (failed(gateTensors(op, kInputWeights, "input weights", inputWeights)) ||
      failed(gateTensors(op, kRecurrentWeights, "recurrent weights", recurrentWeights)) ||
      failed(gateTensors(op, kBiases, "biases", biases)))
    return failure();
  TypeAttr cell, hidden;
  bool quantized = isa<quant::QuantizedType>(result.getElementType());
  if (!quantized && llvm::any_of(inputWeights, isQuantized))
    return op.refuse("input weights", "are FLOAT32 for a FLOAT32 input", "8-bit weights");
  if (failed(stateTypes(op, quantized, cell, hidden)))
    return failure();
  UnitAttr timeMajor = options->time_major() ? op.builder().getUnitAttr() : UnitAttr();
  return op.finish(nn::LstmOp::create(op.builder(), op.location(), result, input, inputWeights, recurrentWeights,
                                      biases, timeMajor, op.builder().getF32FloatAttr(options->cell_clip()), cell,
                                      hidden));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, kNumInputs, convertLstm},
};

} // namespace

ArrayRef<TfliteConverter> tfliteRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
