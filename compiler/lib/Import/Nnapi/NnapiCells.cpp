//===- NnapiCells.cpp - Operands that recurrent layers share ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

FailureOr<APFloat> clip(NnapiOperation &op, uint32_t position, StringRef name) {
  FailureOr<double> limit = op.real(position, name);
  if (failed(limit))
    return failure();
  if (!(*limit >= 0))
    return op.malformed("has " + name + " that is less than 0");
  return APFloat(static_cast<float>(*limit));
}

/// Reads consecutive operands that are all present or all omitted. Fails if this differs from `present`.
LogicalResult readGroup(NnapiOperation &op, StringRef name, uint32_t first, uint32_t count, bool present,
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
LogicalResult readGates(NnapiOperation &op, StringRef name, uint32_t first, uint32_t count, bool present,
                        bool inputGate, SmallVector<Value> &values) {
  if (failed(readGroup(op, name, first, 1, present && inputGate, values)))
    return failure();
  return readGroup(op, name, first + 1, count - 1, present, values);
}

} // namespace

FailureOr<nn::CellActivation> cellActivation(NnapiOperation &op, uint32_t position) {
  FailureOr<int64_t> code = op.integer(position, "activation");
  if (failed(code))
    return failure();
  std::optional<nn::CellActivation> known;
  if (*code >= 0 && *code <= INT32_MAX)
    known = nn::symbolizeCellActivation(static_cast<uint32_t>(*code));
  if (!known)
    return op.malformed("has the unknown activation " + Twine(*code));
  return *known;
}

LogicalResult readLstmStates(NnapiOperation &op, const LstmPositions &positions, size_t rank, LstmOperands &operands) {
  operands.input = op.value(kLstmInput, "input");
  operands.outputState = op.value(positions.outputState, "output state");
  operands.cellState = op.value(positions.cellState, "cell state");
  if (!operands.input || !operands.outputState || !operands.cellState)
    return failure();
  if (shapeOf(operands.input).size() != rank)
    return op.malformed("has an input of rank " + Twine(shapeOf(operands.input).size()) + ", must be " + Twine(rank));
  for (Value matrix : {operands.outputState, operands.cellState})
    if (shapeOf(matrix).size() != 2)
      return op.malformed("has a state of rank " + Twine(shapeOf(matrix).size()) + ", must be 2");
  return success();
}

LogicalResult readLstmWeights(NnapiOperation &op, const LstmPositions &positions, LstmOperands &operands) {
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

FailureOr<nn::LstmCellOp> createLstm(NnapiOperation &op, const LstmOperands &operands, uint32_t activationPosition,
                                     ArrayRef<Type> types, bool batchMajor) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, activationPosition);
  FailureOr<APFloat> cellClip = clip(op, activationPosition + 1, "cell clip");
  FailureOr<APFloat> projectionClip = clip(op, activationPosition + 2, "projection clip");
  if (failed(activation) || failed(cellClip) || failed(projectionClip))
    return failure();
  return nn::LstmCellOp::create(op.builder(), op.location(), types[0], types[1], types[2], types[3], operands.input,
                                operands.outputState, operands.cellState, operands.inputWeights,
                                operands.recurrentWeights, operands.peepholes, operands.biases, operands.projection,
                                operands.layerNorm, *activation, *cellClip, *projectionClip, batchMajor);
}

LogicalResult addPresentParts(NnapiOperation &op, const LstmPositions &positions, uint32_t parts,
                              NnapiPresent &present) {
  const uint32_t shift = positions.shift, norm = positions.layerNorm;
  Value weights = op.value(shift + kLstmInputWeights + 1, "weights"),
        recurrent = op.value(shift + kLstmRecurrentWeights + 1, "weights");
  if (!weights || !recurrent || shapeOf(weights).size() != 2 || shapeOf(recurrent).size() != 2)
    return failure();
  const int64_t units = shapeOf(weights)[0], inputs = shapeOf(weights)[1], outputs = shapeOf(recurrent)[1];
  const bool gate = parts & 1, peepholes = parts & 2, norms = parts & 4, projection = parts & 8, bias = parts & 16;
  auto add = [&](bool isThere, uint32_t position, SmallVector<int64_t> extents) {
    if (isThere && position < op.numInputs())
      present.push_back({position, std::move(extents)});
  };
  add(gate, shift + kLstmInputWeights, {units, inputs});
  add(gate, shift + kLstmRecurrentWeights, {units, outputs});
  add(gate, shift + kLstmBiases, {units});
  add(projection, shift + kLstmProjection, {outputs, units});
  add(projection && bias, shift + kLstmProjectionBias, {outputs});
  for (uint32_t i = 0; i < 3; ++i)
    add(peepholes && (gate || i > 0), shift + kLstmPeepholes + i, {units});
  for (uint32_t i = 0; i < 4; ++i)
    add(norms && (gate || i > 0), norm + i, {units});
  return success();
}

SmallVector<int64_t> sequenceShape(Value input, int64_t outputs) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape.back() = outputs;
  return shape;
}

LogicalResult finishAll(NnapiOperation &op, ArrayRef<Value> results) {
  if (op.numOutputs() > results.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, at most " + Twine(results.size()));
  for (uint32_t position = 0; position < op.numOutputs(); ++position)
    if (failed(op.finish(results[position], position)))
      return failure();
  return success();
}

} // namespace avocet::compiler
