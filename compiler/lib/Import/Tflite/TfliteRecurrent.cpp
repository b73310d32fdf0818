//===- TfliteRecurrent.cpp - LSTM cells and sequences -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteCells.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Operands of one LSTM; layer normalisation is last.
constexpr LstmPositions kPositions{0, 18, 19, 20};
constexpr uint32_t kNumInputs = 24, kGates = 4;
/// The intermediate that carries the quantisation of the hidden state before any projection.
constexpr uint32_t kHiddenIntermediate = 4;

bool isQuantized(Value value) { return isa<quant::QuantizedType>(elementOf(value)); }

/// Sums of gates have 12 fractional bits; with normalisation the file gives a scale for each.
FailureOr<Type> sumType(TfliteOperator &op, uint32_t gate, bool isNormalised) {
  if (isNormalised) {
    RankedTensorType declared = op.intermediateElement(gate, "intermediate of a gate");
    if (!declared)
      return failure();
    return declared.getElementType();
  }
  Type storage = op.builder().getIntegerType(16), real = op.builder().getF32Type();
  return Type(
      quant::UniformQuantizedType::get(quant::QuantizationFlags::Signed, storage, real, 1.0 / 4096, 0, -32768, 32767));
}

/// Adds the types of inner values. Fails for cells that are quantised in another way.
LogicalResult addIntermediates(TfliteOperator &op, const LstmOperands &operands, CellForm &form) {
  auto cell = dyn_cast<quant::UniformQuantizedType>(elementOf(operands.cellState));
  if (!cell || cell.getStorageTypeIntegralWidth() != 16)
    return op.refuse("cell state", "is INT16 if the input is quantised", "another type");
  const auto gates = static_cast<uint32_t>(operands.inputWeights.size());
  for (uint32_t gate = kGates - gates; gate < kGates; ++gate) {
    FailureOr<Type> type = sumType(op, gate, !operands.layerNorm.empty());
    if (failed(type))
      return failure();
    form.intermediates.push_back(*type);
  }
  RankedTensorType hidden = op.intermediateElement(kHiddenIntermediate, "hidden intermediate");
  if (!hidden)
    return failure();
  form.intermediates.push_back(hidden.getElementType());
  return success();
}

LogicalResult convertSequence(TfliteOperator &op) {
  auto *options = op.options<tflite::UnidirectionalSequenceLSTMOptions>();
  if (!options)
    return op.malformed("lacks its options");
  if (options->diagonal_recurrent_tensors())
    return op.refuse("recurrent weights", "are full matrices", "diagonals");
  FailureOr<CellForm> form = lstmForm(op, *options);
  if (failed(form))
    return failure();
  form->batchMajor = !options->time_major();
  return convertCell(op, *form, 3);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, kNumInputs, convertSequence},
};

} // namespace

LogicalResult convertCell(TfliteOperator &op, CellForm form, size_t rank) {
  LstmOperands operands;
  if (failed(readLstmStates(op, kPositions, rank, variableStates(op), operands)) ||
      failed(readLstmWeights(op, kPositions, operands)))
    return failure();
  if (isQuantized(operands.input) && failed(addIntermediates(op, operands, form)))
    return failure();
  RankedTensorType result = op.resultType(0, sequenceShape(operands.input, shapeOf(operands.outputState)[1]));
  if (!result)
    return failure();
  nn::LstmCellOp cell = createLstm(op, operands, form);
  if (failed(op.finish(cell.getOutput())))
    return failure();
  return setStates(op, {kPositions.outputState, kPositions.cellState},
                   {cell.getOutputStateOut(), cell.getCellStateOut()});
}

ArrayRef<TfliteConverter> tfliteRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
