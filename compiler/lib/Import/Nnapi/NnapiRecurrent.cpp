//===- NnapiRecurrent.cpp - Recurrent layers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Reads the INT32 code of a cell's activation.
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
  kSequenceTimeMajor = 23,
  kSequenceLayerNorm = 24,
};

struct LstmOperands {
  Value input, outputState, cellState;
  SmallVector<Value> inputWeights, recurrentWeights, peepholes, biases, projection, layerNorm;
};

LogicalResult readLstmWeights(NnapiOperation &op, uint32_t norm, LstmOperands &operands) {
  const bool inputGate = op.hasInput(kLstmInputWeights);
  const bool peepholes = op.hasInput(kLstmPeepholes + 1), layerNorm = op.hasInput(norm + 1);
  const bool projection = op.hasInput(kLstmProjection);
  if (failed(readGates(op, "input weights", kLstmInputWeights, 4, true, inputGate, operands.inputWeights)) ||
      failed(
          readGates(op, "recurrent weights", kLstmRecurrentWeights, 4, true, inputGate, operands.recurrentWeights)) ||
      failed(readGates(op, "peepholes", kLstmPeepholes, 3, peepholes, inputGate, operands.peepholes)) ||
      failed(readGates(op, "biases", kLstmBiases, 4, true, inputGate, operands.biases)) ||
      failed(readGates(op, "layer normalization weights", norm, 4, layerNorm, inputGate, operands.layerNorm)))
    return failure();
  if (failed(readGroup(op, "projection", kLstmProjection, 1, projection, operands.projection)))
    return failure();
  const bool bias = op.hasInput(kLstmProjectionBias);
  if (bias && !projection)
    return op.malformed("has a projection bias without a projection");
  return readGroup(op, "projection bias", kLstmProjectionBias, 1, bias, operands.projection);
}

/// Reads the tensors from which the result shapes follow.
LogicalResult readLstmStates(NnapiOperation &op, size_t rank, LstmOperands &operands) {
  operands.input = op.value(kLstmInput, "input");
  operands.outputState = op.value(kLstmOutputState, "output state");
  operands.cellState = op.value(kLstmCellState, "cell state");
  if (!operands.input || !operands.outputState || !operands.cellState)
    return failure();
  if (shapeOf(operands.input).size() != rank)
    return op.malformed("has an input of rank " + Twine(shapeOf(operands.input).size()) + ", must be " + Twine(rank));
  for (Value matrix : {operands.outputState, operands.cellState})
    if (shapeOf(matrix).size() != 2)
      return op.malformed("has a state of rank " + Twine(shapeOf(matrix).size()) + ", must be 2");
  return success();
}

/// The shape of an output: that of the input with another last extent.
SmallVector<int64_t> sequenceShape(Value input, int64_t outputs) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape.back() = outputs;
  return shape;
}

/// The declared result types, by position; results that the model does not declare must be last and get their own type.
FailureOr<SmallVector<Type>> resultTypes(NnapiOperation &op, Value like, ArrayRef<SmallVector<int64_t>> shapes) {
  SmallVector<Type> types;
  for (auto [position, shape] : llvm::enumerate(shapes)) {
    auto own = RankedTensorType::get(shape, cast<RankedTensorType>(like.getType()).getElementType());
    types.push_back(position < op.numOutputs() ? op.resultType(position, shape) : own);
    if (!types.back())
      return failure();
  }
  return types;
}

/// Binds as many of the values as the model has results.
LogicalResult finishAll(NnapiOperation &op, ArrayRef<Value> results) {
  if (op.numOutputs() > results.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, at most " + Twine(results.size()));
  for (uint32_t position = 0; position < op.numOutputs(); ++position)
    if (failed(op.finish(results[position], position)))
      return failure();
  return success();
}

/// Reads the scalars of an LSTM and creates it. `types` are those of gates, output state, cell state and output.
FailureOr<nn::LstmCellOp> createLstm(NnapiOperation &op, const LstmOperands &operands, ArrayRef<Type> types,
                                     bool batchMajor) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, kLstmActivation);
  FailureOr<APFloat> cellClip = clip(op, kLstmCellClip, "cell clip");
  FailureOr<APFloat> projectionClip = clip(op, kLstmProjectionClip, "projection clip");
  if (failed(activation) || failed(cellClip) || failed(projectionClip))
    return failure();
  return nn::LstmCellOp::create(op.builder(), op.location(), types[0], types[1], types[2], types[3], operands.input,
                                operands.outputState, operands.cellState, operands.inputWeights,
                                operands.recurrentWeights, operands.peepholes, operands.biases, operands.projection,
                                operands.layerNorm, *activation, *cellClip, *projectionClip, batchMajor);
}

LogicalResult convertLstm(NnapiOperation &op) {
  LstmOperands operands;
  if (failed(readLstmStates(op, 2, operands)) || failed(readLstmWeights(op, kLstmLayerNorm, operands)))
    return failure();
  const int64_t batch = shapeOf(operands.input)[0], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1], gates = operands.inputWeights.size();
  FailureOr<SmallVector<Type>> types =
      resultTypes(op, operands.input, {{batch, gates * cells}, {batch, outputs}, {batch, cells}, {batch, outputs}});
  if (failed(types))
    return failure();
  FailureOr<nn::LstmCellOp> cell = createLstm(op, operands, *types, /*batchMajor=*/false);
  if (failed(cell))
    return failure();
  return finishAll(op, {cell->getGates(), cell->getOutputStateOut(), cell->getCellStateOut(), cell->getOutput()});
}

LogicalResult convertSequenceLstm(NnapiOperation &op) {
  LstmOperands operands;
  FailureOr<bool> timeMajor = op.boolean(kSequenceTimeMajor, "time major");
  if (failed(timeMajor) || failed(readLstmStates(op, 3, operands)) ||
      failed(readLstmWeights(op, kSequenceLayerNorm, operands)))
    return failure();
  const int64_t batch = shapeOf(operands.input)[*timeMajor ? 1 : 0], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1], gates = operands.inputWeights.size();
  FailureOr<SmallVector<Type>> types =
      resultTypes(op, operands.input,
                  {sequenceShape(operands.input, outputs), {batch, outputs}, {batch, cells}, {batch, gates * cells}});
  if (failed(types))
    return failure();
  ArrayRef<Type> t = *types;
  FailureOr<nn::LstmCellOp> cell = createLstm(op, operands, {t[3], t[1], t[2], t[0]}, !*timeMajor);
  if (failed(cell))
    return failure();
  return finishAll(op, {cell->getOutput(), cell->getOutputStateOut(), cell->getCellStateOut()});
}

struct RnnOperands {
  Value input, weights, recurrentWeights, bias, state;
};

FailureOr<RnnOperands> readRnn(NnapiOperation &op, size_t rank) {
  RnnOperands operands{op.value(0, "input"), op.value(1, "weights"), op.value(2, "recurrent weights"),
                       op.value(3, "bias"), op.value(4, "state")};
  if (!operands.input || !operands.weights || !operands.recurrentWeights || !operands.bias || !operands.state)
    return failure();
  if (shapeOf(operands.input).size() != rank || shapeOf(operands.state).size() != 2)
    return op.malformed("has an input or a state of the wrong rank");
  return operands;
}

FailureOr<nn::RnnCellOp> createRnn(NnapiOperation &op, const RnnOperands &operands, Type state, Type output,
                                   bool batchMajor) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, 5);
  if (failed(activation))
    return failure();
  return nn::RnnCellOp::create(op.builder(), op.location(), state, output, operands.input, operands.weights,
                               operands.recurrentWeights, operands.bias, operands.state, *activation, batchMajor);
}

LogicalResult convertRnn(NnapiOperation &op) {
  FailureOr<RnnOperands> operands = readRnn(op, 2);
  if (failed(operands))
    return failure();
  SmallVector<int64_t> shape(shapeOf(operands->state));
  FailureOr<SmallVector<Type>> types = resultTypes(op, operands->input, {shape, shape});
  if (failed(types))
    return failure();
  FailureOr<nn::RnnCellOp> cell = createRnn(op, *operands, (*types)[0], (*types)[1], /*batchMajor=*/false);
  return failed(cell) ? failure() : finishAll(op, {cell->getStateOut(), cell->getOutput()});
}

LogicalResult convertSequenceRnn(NnapiOperation &op) {
  FailureOr<RnnOperands> operands = readRnn(op, 3);
  FailureOr<int64_t> timeMajor = op.integer(6, "time major");
  if (failed(operands) || failed(timeMajor))
    return failure();
  SmallVector<int64_t> state(shapeOf(operands->state));
  FailureOr<SmallVector<Type>> types =
      resultTypes(op, operands->input, {sequenceShape(operands->input, state[1]), state});
  if (failed(types))
    return failure();
  FailureOr<nn::RnnCellOp> cell = createRnn(op, *operands, (*types)[1], (*types)[0], *timeMajor == 0);
  return failed(cell) ? failure() : finishAll(op, {cell->getOutput(), cell->getStateOut()});
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
  SmallVector<int64_t> stateShape(shapeOf(state)), outputShape{shapeOf(input)[0], filters / *rank};
  FailureOr<SmallVector<Type>> types = resultTypes(op, input, {stateShape, outputShape});
  if (failed(types))
    return failure();
  auto svdf = nn::SvdfOp::create(op.builder(), op.location(), (*types)[0], (*types)[1], input, features, time, bias,
                                 state, *rank, *activation);
  return finishAll(op, {svdf.getStateOut(), svdf.getOutput()});
}

/// All optional parts of an LSTM: input gate, peepholes, normalization, projection and its bias.
SmallVector<NnapiPresent> lstmPresences(NnapiOperation &op, uint32_t norm) {
  Value weights = op.value(kLstmInputWeights + 1, "weights"),
        recurrent = op.value(kLstmRecurrentWeights + 1, "weights");
  if (!weights || !recurrent || shapeOf(weights).size() != 2 || shapeOf(recurrent).size() != 2)
    return {};
  const int64_t units = shapeOf(weights)[0], inputs = shapeOf(weights)[1], outputs = shapeOf(recurrent)[1];
  SmallVector<NnapiPresent> presences;
  for (uint32_t mask = 0; mask < 32; ++mask) {
    const bool gate = mask & 1, peepholes = mask & 2, norms = mask & 4, projection = mask & 8, bias = mask & 16;
    NnapiPresent present;
    auto add = [&](bool isThere, uint32_t position, SmallVector<int64_t> extents) {
      if (isThere && position < op.numInputs())
        present.push_back({position, std::move(extents)});
    };
    add(gate, kLstmInputWeights, {units, inputs});
    add(gate, kLstmRecurrentWeights, {units, outputs});
    add(gate, kLstmBiases, {units});
    add(projection, kLstmProjection, {outputs, units});
    add(projection && bias, kLstmProjectionBias, {outputs});
    for (uint32_t i = 0; i < 3; ++i)
      add(peepholes && (gate || i > 0), kLstmPeepholes + i, {units});
    for (uint32_t i = 0; i < 4; ++i)
      add(norms && (gate || i > 0), norm + i, {units});
    presences.push_back(std::move(present));
  }
  return presences;
}

constexpr uint64_t optionalOperands(uint32_t norm) {
  uint64_t positions = 0;
  for (uint32_t position : {uint32_t(kLstmInputWeights), uint32_t(kLstmRecurrentWeights), kLstmPeepholes + 0u,
                            kLstmPeepholes + 1u, kLstmPeepholes + 2u, uint32_t(kLstmBiases), uint32_t(kLstmProjection),
                            uint32_t(kLstmProjectionBias), norm, norm + 1, norm + 2, norm + 3})
    positions |= uint64_t{1} << position;
  return positions;
}

template <uint32_t norm> SmallVector<NnapiPresent> presencesOf(NnapiOperation &op) { return lstmPresences(op, norm); }

constexpr uint64_t kLstmScalars = 1 << kLstmActivation | 1 << kLstmCellClip | 1 << kLstmProjectionClip;

constexpr NnapiConverter kConverters[] = {
    {OperationType::Lstm, 23, 27, kLstmScalars, convertLstm, nullptr, presencesOf<kLstmLayerNorm>,
     optionalOperands(kLstmLayerNorm)},
    {OperationType::Rnn, 6, 6, 1 << 5, convertRnn},
    {OperationType::Svdf, 7, 7, 1 << 5 | 1 << 6, convertSvdf},
    {OperationType::UnidirectionalSequenceLstm, 28, 28, kLstmScalars | 1 << kSequenceTimeMajor, convertSequenceLstm,
     nullptr, presencesOf<kSequenceLayerNorm>, optionalOperands(kSequenceLayerNorm)},
    {OperationType::UnidirectionalSequenceRnn, 7, 7, 1 << 5 | 1 << 6, convertSequenceRnn},
};

} // namespace

ArrayRef<NnapiConverter> nnapiRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
