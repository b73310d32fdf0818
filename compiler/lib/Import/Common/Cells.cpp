//===- Cells.cpp - Operands that recurrent layers share ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"
#include "Elements.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Reads consecutive operands that are all present or all omitted. Fails if this differs from `present`.
LogicalResult readGroup(ImportedOperation &op, StringRef name, uint32_t first, uint32_t count, bool present,
                        SmallVector<Value> &values) {
  for (uint32_t position = first; position < first + count; ++position) {
    if (op.hasInput(position) != present)
      return op.malformed("has " + name + " that are there in part");
    if (!present)
      continue;
    values.push_back(op.value(position, name));
    if (!values.back())
      return failure();
  }
  return success();
}

/// The same, except that the first operand belongs to the input gate: present only if both flags are set.
LogicalResult readGates(ImportedOperation &op, StringRef name, uint32_t first, uint32_t count, bool present,
                        bool inputGate, SmallVector<Value> &values) {
  if (failed(readGroup(op, name, first, 1, present && inputGate, values)))
    return failure();
  return readGroup(op, name, first + 1, count - 1, present, values);
}

/// Reads all weights and biases.
LogicalResult readWeights(ImportedOperation &op, const LstmPositions &positions, LstmOperands &operands) {
  const uint32_t shift = positions.shift, norm = positions.layerNorm;
  const bool inputGate = op.hasInput(shift + kLstmInputWeights);
  const bool peepholes = op.hasInput(shift + kLstmPeepholes + 1), layerNorm = op.hasInput(norm + 1);
  const bool projection = op.hasInput(shift + kLstmProjection);
  if (failed(readGates(op, "input weights", shift + kLstmInputWeights, 4, true, inputGate, operands.inputWeights)) ||
      failed(readGates(op, "recurrent weights", shift + kLstmRecurrentWeights, 4, true, inputGate,
                       operands.recurrentWeights)) ||
      failed(readGates(op, "peepholes", shift + kLstmPeepholes, 3, peepholes, inputGate, operands.peepholes)) ||
      failed(readGates(op, "biases", shift + kLstmBiases, 4, true, inputGate, operands.biases)) ||
      failed(readGates(op, "layer normalization weights", norm, 4, layerNorm, inputGate, operands.layerNorm)))
    return failure();
  if (failed(readGroup(op, "projection", shift + kLstmProjection, 1, projection, operands.projection)))
    return failure();
  const bool bias = op.hasInput(shift + kLstmProjectionBias);
  if (bias && !projection)
    return op.malformed("has a projection bias without a projection");
  return readGroup(op, "projection bias", shift + kLstmProjectionBias, 1, bias, operands.projection);
}

/// Peepholes of a hybrid cell are floats to the reference too.
LstmOperands withFloatPeepholes(ImportedOperation &op, LstmOperands operands) {
  for (Value &peephole : operands.peepholes)
    if (isQuantized(peephole) && elementOf(operands.input).isF32())
      peephole = createAs<nn::DequantizeOp>(op, elementOf(operands.input), peephole);
  return operands;
}

/// Gates of a quantized cell are fractions with 15 bits, others have the type of the values.
Type gateElement(ImportedOperation &op, Type value) {
  const bool isReal = !isa<quant::QuantizedType>(value);
  return isReal ? value : QuantizedStorage{16, true}.perTensor(op.builder().getContext(), 1.0 / 32768, 0);
}

} // namespace

FailureOr<LstmOperands> readLstm(ImportedOperation &op, const LstmPositions &positions, size_t rank,
                                 StateReader readState) {
  LstmOperands operands;
  operands.input = ofRank(op, op.value(kLstmInput, "input"), "an input", rank);
  operands.outputState = ofRank(op, readState(positions.outputState, "output state"), "a state", 2);
  operands.cellState = ofRank(op, readState(positions.cellState, "cell state"), "a state", 2);
  if (!operands.input || !operands.outputState || !operands.cellState || failed(readWeights(op, positions, operands)))
    return failure();
  return operands;
}

nn::LstmCellOp createLstm(ImportedOperation &op, const LstmOperands &operands, const CellForm &form,
                          ResultTypes typeOf) {
  Builder &builder = op.builder();
  auto flag = [&](bool isSet) { return isSet ? builder.getUnitAttr() : UnitAttr(); };
  ArrayAttr intermediates = form.intermediates.empty() ? ArrayAttr() : builder.getTypeArrayAttr(form.intermediates);
  return createWith<nn::LstmCellOp>(
      op, typeOf, operands.input, operands.outputState, operands.cellState, operands.inputWeights,
      operands.recurrentWeights, operands.peepholes, operands.biases, operands.projection, operands.layerNorm,
      nn::CellActivationAttr::get(builder.getContext(), form.activation), builder.getF32FloatAttr(form.cellClip),
      builder.getF32FloatAttr(form.projectionClip), flag(form.batchMajor), flag(form.asymmetric), intermediates);
}

nn::LstmCellOp createLstm(ImportedOperation &op, const LstmOperands &operands, const CellForm &form) {
  const Type output = elementOf(operands.outputState);
  const Type elements[] = {gateElement(op, elementOf(operands.input)), output, elementOf(operands.cellState), output};
  return createLstm(op, withFloatPeepholes(op, operands), form,
                    [&](uint32_t index, nn::ShapeRef shape, Type) { return boundedType(op, shape, elements[index]); });
}

nn::RnnCellOp createRnn(ImportedOperation &op, Value input, Value weights, uint32_t recurrent, const CellForm &form,
                        StateReader readState, ResultTypes typeOf) {
  Value recurrentWeights = op.parameter(recurrent, "recurrent weights"), bias = op.parameter(recurrent + 1, "bias");
  return createWith<nn::RnnCellOp>(op, typeOf, input, weights, recurrentWeights, bias,
                                   readState(recurrent + 2, "state"), form.activation, form.batchMajor,
                                   form.asymmetric);
}

} // namespace avocet::compiler
