//===- NnapiRecurrent.cpp - Steps of recurrent layers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// An INT32 code of a cell's function.
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

FailureOr<APFloat> clip(NnapiOperation &op, uint32_t position, StringRef name) {
  FailureOr<double> limit = op.real(position, name);
  if (failed(limit))
    return failure();
  if (!(*limit >= 0))
    return op.malformed("has " + name + " that is less than 0");
  return APFloat(static_cast<float>(*limit));
}

/// Consecutive operands that are there or omitted together. Fails if the presence of one is not as it must be.
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

/// The same with a first operand that belongs to the input gate: present only with both.
LogicalResult readGates(NnapiOperation &op, StringRef name, uint32_t first, uint32_t count, bool present,
                        bool inputGate, SmallVector<Value> &values) {
  if (failed(readGroup(op, name, first, 1, present && inputGate, values)))
    return failure();
  return readGroup(op, name, first + 1, count - 1, present, values);
}

/// Positions of an LSTM's operands.
enum LstmPosition : uint32_t {
  kLstmInput = 0,
  kLstmInputWeights = 1,
  kLstmRecurrentWeights = 5,
  kLstmPeepholes = 9,
  kLstmBiases = 12,
  kLstmProjection = 16,
  kLstmProjectionBias = 17,
  kLstmOutputState = 18,
  kLstmCellState = 19,
  kLstmActivation = 20,
  kLstmCellClip = 21,
  kLstmProjectionClip = 22,
  kLstmLayerNorm = 23,
};

struct LstmOperands {
  Value input, outputState, cellState;
  SmallVector<Value> inputWeights, recurrentWeights, peepholes, biases, projection, layerNorm;
};

LogicalResult readLstmWeights(NnapiOperation &op, LstmOperands &operands) {
  const bool inputGate = op.hasInput(kLstmInputWeights);
  const bool peepholes = op.hasInput(kLstmPeepholes + 1), layerNorm = op.hasInput(kLstmLayerNorm + 1);
  const bool projection = op.hasInput(kLstmProjection);
  if (failed(readGates(op, "input weights", kLstmInputWeights, 4, true, inputGate, operands.inputWeights)) ||
      failed(
          readGates(op, "recurrent weights", kLstmRecurrentWeights, 4, true, inputGate, operands.recurrentWeights)) ||
      failed(readGates(op, "peepholes", kLstmPeepholes, 3, peepholes, inputGate, operands.peepholes)) ||
      failed(readGates(op, "biases", kLstmBiases, 4, true, inputGate, operands.biases)) ||
      failed(readGates(op, "layer normalization weights", kLstmLayerNorm, 4, layerNorm, inputGate, operands.layerNorm)))
    return failure();
  if (failed(readGroup(op, "projection", kLstmProjection, 1, projection, operands.projection)))
    return failure();
  const bool bias = op.hasInput(kLstmProjectionBias);
  if (bias && !projection)
    return op.malformed("has a projection bias without a projection");
  return readGroup(op, "projection bias", kLstmProjectionBias, 1, bias, operands.projection);
}

/// The matrices that the shapes of the results follow from.
LogicalResult readLstmStates(NnapiOperation &op, LstmOperands &operands) {
  operands.input = op.value(kLstmInput, "input");
  operands.outputState = op.value(kLstmOutputState, "output state");
  operands.cellState = op.value(kLstmCellState, "cell state");
  if (!operands.input || !operands.outputState || !operands.cellState)
    return failure();
  for (Value matrix : {operands.input, operands.outputState, operands.cellState})
    if (shapeOf(matrix).size() != 2)
      return op.malformed("has an input or a state of rank " + Twine(shapeOf(matrix).size()) + ", must be 2");
  return success();
}

LogicalResult finishAll(NnapiOperation &op, Operation *cell) {
  for (auto [position, result] : llvm::enumerate(cell->getResults()))
    if (failed(op.finish(result, position)))
      return failure();
  return success();
}

LogicalResult convertLstm(NnapiOperation &op) {
  LstmOperands operands;
  if (failed(readLstmStates(op, operands)) || failed(readLstmWeights(op, operands)))
    return failure();
  FailureOr<nn::CellActivation> activation = cellActivation(op, kLstmActivation);
  FailureOr<APFloat> cellClip = clip(op, kLstmCellClip, "cell clip");
  FailureOr<APFloat> projectionClip = clip(op, kLstmProjectionClip, "projection clip");
  if (failed(activation) || failed(cellClip) || failed(projectionClip))
    return failure();
  const int64_t batch = shapeOf(operands.input)[0], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1];
  const auto gates = static_cast<int64_t>(operands.inputWeights.size());
  RankedTensorType scratch = op.resultType(0, {batch, gates * cells}), output = op.resultType(1, {batch, outputs});
  RankedTensorType cell = op.resultType(2, {batch, cells}), copy = op.resultType(3, {batch, outputs});
  if (!scratch || !output || !cell || !copy)
    return failure();
  return finishAll(op, nn::LstmCellOp::create(op.builder(), op.location(), scratch, output, cell, copy, operands.input,
                                              operands.outputState, operands.cellState, operands.inputWeights,
                                              operands.recurrentWeights, operands.peepholes, operands.biases,
                                              operands.projection, operands.layerNorm, *activation, *cellClip,
                                              *projectionClip));
}

LogicalResult convertRnn(NnapiOperation &op) {
  Value input = op.value(0, "input"), weights = op.value(1, "weights"), recurrent = op.value(2, "recurrent weights");
  Value bias = op.value(3, "bias"), state = op.value(4, "state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, 5);
  if (!input || !weights || !recurrent || !bias || !state || failed(activation))
    return failure();
  RankedTensorType newState = op.resultType(0, shapeOf(state)), output = op.resultType(1, shapeOf(state));
  if (!newState || !output)
    return failure();
  return finishAll(op, nn::RnnCellOp::create(op.builder(), op.location(), newState, output, input, weights, recurrent,
                                             bias, state, *activation));
}

LogicalResult convertSvdf(NnapiOperation &op) {
  Value input = op.value(0, "input"), features = op.value(1, "feature weights"), time = op.value(2, "time weights");
  Value bias = op.hasInput(3) ? op.value(3, "bias") : Value(), state = op.value(4, "state");
  FailureOr<int64_t> rank = op.integer(5, "rank");
  FailureOr<nn::CellActivation> activation = cellActivation(op, 6);
  if (!input || !features || !time || (op.hasInput(3) && !bias) || !state || failed(rank) || failed(activation))
    return failure();
  if (shapeOf(input).size() != 2 || shapeOf(features).size() != 2)
    return op.malformed("has an input or feature weights that are no matrix");
  const int64_t filters = shapeOf(features)[0];
  if (*rank < 1 || filters % *rank != 0)
    return op.malformed("has the rank " + Twine(*rank) + " of " + Twine(filters) + " filters");
  RankedTensorType newState = op.resultType(0, shapeOf(state));
  RankedTensorType output = op.resultType(1, {shapeOf(input)[0], filters / *rank});
  if (!newState || !output)
    return failure();
  return finishAll(op, nn::SvdfOp::create(op.builder(), op.location(), newState, output, input, features, time, bias,
                                          state, *rank, *activation));
}

constexpr uint64_t kLstmScalars = 1 << kLstmActivation | 1 << kLstmCellClip | 1 << kLstmProjectionClip;

constexpr NnapiConverter kConverters[] = {
    {16, 23, 27, kLstmScalars, convertLstm},
    {24, 6, 6, 1 << 5, convertRnn},
    {27, 7, 7, 1 << 5 | 1 << 6, convertSvdf},
};

} // namespace

ArrayRef<NnapiConverter> nnapiRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
