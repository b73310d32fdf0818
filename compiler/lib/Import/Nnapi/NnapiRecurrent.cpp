//===- NnapiRecurrent.cpp - Recurrent layers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

#include "Import/Common/Elements.h"
#include "Import/Common/ImportedOperation.h"
#include "Import/Common/Moves.h"

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

/// Where the results of an operation are among those of the model's operation, which may declare less of them.
using ResultPositions = ArrayRef<uint32_t>;
constexpr uint32_t kNowhere = UINT32_MAX;

/// The declared types of the results; of others the element type of the input.
auto declaredTypes(NnapiOperation &op, ResultPositions positions, Value input) {
  return [&op, positions, input](uint32_t index, nn::ShapeRef shape, Type) {
    return positions[index] < op.numOutputs() ? op.resultType(positions[index], shape)
                                              : boundedType(op, shape, elementOf(input));
  };
}

/// Binds the results that the model declares.
LogicalResult finishCell(NnapiOperation &op, Operation *cell, ResultPositions positions) {
  if (!cell)
    return failure();
  SmallVector<Value> results(positions.size() - llvm::count(positions, kNowhere));
  for (auto [index, position] : llvm::enumerate(positions))
    if (position != kNowhere)
      results[position] = cell->getResult(index);
  return finishDeclared(op, results);
}

LogicalResult finishLstm(NnapiOperation &op, const LstmPositions &positions, size_t rank, bool batchMajor,
                         ResultPositions results) {
  FailureOr<LstmOperands> operands = readLstm(op, positions, rank, stateOperands(op));
  FailureOr<CellForm> form = readLstmForm(op, kLstmActivation);
  if (failed(operands) || failed(form))
    return failure();
  form->batchMajor = batchMajor;
  return finishCell(op, createLstm(op, *operands, *form, declaredTypes(op, results, operands->input)), results);
}

LogicalResult convertLstm(NnapiOperation &op) { return finishLstm(op, kLstm, 2, /*batchMajor=*/false, {0, 1, 2, 3}); }

LogicalResult convertSequenceLstm(NnapiOperation &op) {
  FailureOr<bool> timeMajor = op.boolean(kSequenceTimeMajor, "time major");
  return failed(timeMajor) ? failure() : finishLstm(op, kSequenceLstm, 3, !*timeMajor, {kNowhere, 1, 2, 0});
}

/// `results` are the positions of state and output.
LogicalResult finishRnn(NnapiOperation &op, size_t rank, bool batchMajor, ResultPositions results) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, 5);
  Value input = ofRank(op, op.value(0, "input"), "an input", rank);
  if (failed(activation) || !input)
    return failure();
  CellForm form;
  form.activation = *activation;
  form.batchMajor = batchMajor;
  auto cell =
      createRnn(op, input, op.value(1, "weights"), 2, form, stateOperands(op), declaredTypes(op, results, input));
  return finishCell(op, cell, results);
}

LogicalResult convertRnn(NnapiOperation &op) { return finishRnn(op, 2, /*batchMajor=*/false, {0, 1}); }

LogicalResult convertSequenceRnn(NnapiOperation &op) {
  FailureOr<int64_t> timeMajor = op.integer(6, "time major");
  return failed(timeMajor) ? failure() : finishRnn(op, 3, *timeMajor == 0, {1, 0});
}

LogicalResult convertSvdf(NnapiOperation &op) {
  Value input = op.value(0, "input"), features = op.value(1, "feature weights"), time = op.value(2, "time weights");
  Value bias = op.hasInput(3) ? op.value(3, "bias") : Value(), state = op.value(4, "state");
  FailureOr<int64_t> rank = op.integer(5, "rank");
  FailureOr<nn::CellActivation> activation = cellActivation(op, 6);
  if (!input || (op.hasInput(3) && !bias) || failed(rank) || failed(activation))
    return failure();
  constexpr uint32_t kPositions[] = {0, 1};
  auto svdf = createWith<nn::SvdfOp>(op, declaredTypes(op, kPositions, input), input, features, time, bias, state,
                                     *rank, *activation);
  return finishCell(op, svdf, kPositions);
}

/// Positions of QUANTIZED_LSTM. It has a scale for each sum of a gate, and none for biases.
enum QuantizedLstm : uint32_t {
  kQuantizedLayerNorm = 20,
  kQuantizedCellClip = 24,
  kQuantizedProjectionClip = 25,
  kGateScales = 26,
  kHiddenZeroPoint = 30,
  kHiddenScale = 31
};
constexpr LstmPositions kQuantizedLstm{0, 18, 19, kQuantizedLayerNorm};

/// Reads clips and the types of inner values.
FailureOr<CellForm> quantizedForm(NnapiOperation &op, size_t gates) {
  FailureOr<double> cellClip = op.real(kQuantizedCellClip, "cell clip");
  FailureOr<double> projectionClip = op.real(kQuantizedProjectionClip, "projection clip");
  FailureOr<double> hiddenScale = op.real(kHiddenScale, "scale of the hidden state");
  FailureOr<int64_t> hiddenZero = op.integer(kHiddenZeroPoint, "zero point of the hidden state");
  if (failed(cellClip) || failed(projectionClip) || failed(hiddenScale) || failed(hiddenZero))
    return failure();
  SmallVector<double> scales;
  for (uint32_t gate = 4 - static_cast<uint32_t>(gates); gate < 4; ++gate) {
    FailureOr<double> scale = op.real(kGateScales + gate, "scale of a gate");
    if (failed(scale))
      return failure();
    scales.push_back(*scale);
  }
  for (double scale : {*hiddenScale, *llvm::min_element(scales)})
    if (!(scale > 0))
      return op.malformed("has a scale that is not positive");
  if (!(*cellClip >= 0) || !(*projectionClip >= 0) || *hiddenZero < -128 || *hiddenZero > 127)
    return op.malformed("has a clip below 0 or a zero point that is no 8-bit number");
  CellForm form;
  form.cellClip = static_cast<float>(*cellClip);
  form.projectionClip = static_cast<float>(*projectionClip);
  MLIRContext *context = op.builder().getContext();
  for (double scale : scales)
    form.intermediates.push_back(QuantizedStorage{16, true}.perTensor(context, scale, 0));
  form.intermediates.push_back(QuantizedStorage{8, true}.perTensor(context, *hiddenScale, *hiddenZero));
  return form;
}

LogicalResult convertQuantizedLstm(NnapiOperation &op) {
  FailureOr<LstmOperands> operands = readLstm(op, kQuantizedLstm, 2, stateOperands(op));
  if (failed(operands))
    return failure();
  FailureOr<CellForm> form = quantizedForm(op, operands->inputWeights.size());
  nn::LstmCellOp lstm = failed(form) ? nn::LstmCellOp() : createLstm(op, *operands, *form);
  if (!lstm)
    return failure();
  const Value results[] = {lstm.getOutputStateOut(), lstm.getCellStateOut(), lstm.getOutput()};
  for (uint32_t position = 0; position < std::min<uint32_t>(op.numOutputs(), std::size(results)); ++position)
    if (!op.resultType(position, shapeOf(results[position])))
      return failure();
  return finishDeclared(op, results);
}

/// The reference multiplies the input, followed by the output state, with the recurrent weights, followed by the input
/// weights: these columns, divided again where the output state begins.
LogicalResult exchangeColumns(NnapiOperation &op, Value &weights, Value &recurrent, int64_t features) {
  if (shapeOf(weights).size() != 2 || shapeOf(recurrent).size() != 2 || shapeOf(weights)[0] != shapeOf(recurrent)[0] ||
      shapeOf(weights)[1] != features)
    return op.malformed("has weights that do not fit its input");
  const int64_t rows = shapeOf(weights)[0], outputs = shapeOf(recurrent)[1];
  Value all = concatenate(op, {recurrent, weights}, 1);
  if (!all)
    return failure();
  weights = slice(op, all, {0, 0}, {rows, features});
  recurrent = slice(op, all, {0, features}, {rows, outputs});
  return success(weights && recurrent);
}

/// Operands: input, weights, recurrent weights and biases of four gates, cell state, output state.
LogicalResult convertQuantized16bitLstm(NnapiOperation &op) {
  FailureOr<SmallVector<Value>> values = op.values(0, 15);
  if (failed(values) || !ofRank(op, values->front(), "an input", 2))
    return failure();
  for (size_t gate = 1; gate <= 4; ++gate)
    if (failed(exchangeColumns(op, (*values)[gate], (*values)[gate + 4], shapeOf(values->front())[1])))
      return failure();
  ArrayRef<Value> all = *values;
  Value cellState = all[13], outputState = all[14];
  constexpr uint32_t kPositions[] = {0, 1};
  auto lstm = createWith<nn::Quantized16bitLstmOp>(op, declaredTypes(op, kPositions, outputState), all[0], outputState,
                                                   cellState, all.slice(1, 4), all.slice(5, 4), all.slice(9, 4));
  return finishCell(op, lstm, kPositions);
}

/// Operands: logits, number of samples, seeds.
LogicalResult convertRandomMultinomial(NnapiOperation &op) {
  Value logits = op.value(0, "logits"), seeds = op.value(2, "seeds");
  FailureOr<int64_t> samples = op.integer(1, "number of samples");
  if (!logits || !seeds || failed(samples))
    return failure();
  return finish<nn::RandomMultinomialOp>(op, logits, seeds, *samples);
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
    {OperationType::Quantized16bitLstm, 15, 15, 0, convertQuantized16bitLstm},
    {OperationType::QuantizedLstm, 32, 32, uint64_t{255} << kQuantizedCellClip, convertQuantizedLstm, nullptr,
     presencesOf<kQuantizedLstm>, optionalOperands(kQuantizedLstm)},
    {OperationType::RandomMultinomial, 3, 3, 1 << 1, convertRandomMultinomial},
    {OperationType::Rnn, 6, 6, 1 << 5, convertRnn},
    {OperationType::Svdf, 7, 7, 1 << 5 | 1 << 6, convertSvdf},
    {OperationType::UnidirectionalSequenceLstm, 28, 28, kLstmScalars | 1 << kSequenceTimeMajor, convertSequenceLstm,
     nullptr, presencesOf<kSequenceLstm>, optionalOperands(kSequenceLstm)},
    {OperationType::UnidirectionalSequenceRnn, 7, 7, 1 << 5 | 1 << 6, convertSequenceRnn},
};

} // namespace

ArrayRef<NnapiConverter> nnapiRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
