//===- NnapiRecurrent.cpp - Recurrent layers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Positions of operands after those that all LSTMs have (LstmPositions).
enum LstmPosition : uint32_t {
  kLstmActivation = 20,
  kLstmCellClip = 21,
  kLstmProjectionClip = 22,
  kLstmLayerNorm = 23,
  kSequenceTimeMajor = 23,
  kSequenceLayerNorm = 24,
};

constexpr LstmPositions kLstm{0, 18, 19, kLstmLayerNorm}, kSequenceLstm{0, 18, 19, kSequenceLayerNorm};

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

LogicalResult convertLstm(NnapiOperation &op) {
  LstmOperands operands;
  if (failed(readLstmStates(op, kLstm, 2, operands)) || failed(readLstmWeights(op, kLstm, operands)))
    return failure();
  const int64_t batch = shapeOf(operands.input)[0], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1], gates = operands.inputWeights.size();
  FailureOr<SmallVector<Type>> types =
      resultTypes(op, operands.input, {{batch, gates * cells}, {batch, outputs}, {batch, cells}, {batch, outputs}});
  if (failed(types))
    return failure();
  FailureOr<nn::LstmCellOp> cell = createLstm(op, operands, kLstmActivation, *types, /*batchMajor=*/false);
  if (failed(cell))
    return failure();
  return finishAll(op, {cell->getGates(), cell->getOutputStateOut(), cell->getCellStateOut(), cell->getOutput()});
}

LogicalResult convertSequenceLstm(NnapiOperation &op) {
  LstmOperands operands;
  FailureOr<bool> timeMajor = op.boolean(kSequenceTimeMajor, "time major");
  if (failed(timeMajor) || failed(readLstmStates(op, kSequenceLstm, 3, operands)) ||
      failed(readLstmWeights(op, kSequenceLstm, operands)))
    return failure();
  const int64_t batch = shapeOf(operands.input)[*timeMajor ? 1 : 0], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1], gates = operands.inputWeights.size();
  FailureOr<SmallVector<Type>> types =
      resultTypes(op, operands.input,
                  {sequenceShape(operands.input, outputs), {batch, outputs}, {batch, cells}, {batch, gates * cells}});
  if (failed(types))
    return failure();
  ArrayRef<Type> t = *types;
  FailureOr<nn::LstmCellOp> cell = createLstm(op, operands, kLstmActivation, {t[3], t[1], t[2], t[0]}, !*timeMajor);
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

template <const LstmPositions &positions> SmallVector<NnapiPresent> presencesOf(NnapiOperation &op) {
  SmallVector<NnapiPresent> presences;
  for (uint32_t parts = 0; parts < kLstmPartSets; ++parts)
    if (NnapiPresent present; succeeded(addPresentParts(op, positions, parts, present)))
      presences.push_back(std::move(present));
  return presences;
}

constexpr uint64_t kLstmScalars = 1 << kLstmActivation | 1 << kLstmCellClip | 1 << kLstmProjectionClip;

constexpr NnapiConverter kConverters[] = {
    {OperationType::Lstm, 23, 27, kLstmScalars, convertLstm, nullptr, presencesOf<kLstm>, optionalOperands(kLstm)},
    {OperationType::Rnn, 6, 6, 1 << 5, convertRnn},
    {OperationType::Svdf, 7, 7, 1 << 5 | 1 << 6, convertSvdf},
    {OperationType::UnidirectionalSequenceLstm, 28, 28, kLstmScalars | 1 << kSequenceTimeMajor, convertSequenceLstm,
     nullptr, presencesOf<kSequenceLstm>, optionalOperands(kSequenceLstm)},
    {OperationType::UnidirectionalSequenceRnn, 7, 7, 1 << 5 | 1 << 6, convertSequenceRnn},
};

} // namespace

ArrayRef<NnapiConverter> nnapiRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
