//===- PlaceLstm.cpp - LSTM on the vector DSP -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLstm.h"

#include "LstmSums.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

float scaleOf(Type element) { return cast<quant::UniformQuantizedType>(element).getScale(); }
float scaleOf(Value value) { return scaleOf(tensorOf(value).getElementType()); }

/// What both operations with a sequence have.
struct Sequence {
  Operation *op;
  Value input;
  ValueRange inputWeights, recurrentWeights, biases;
  SmallVector<Value, 2> states; ///< hidden state and cell state before the first step; empty: zeros
  Type cell, hidden;            ///< element types of the states, of a quantised LSTM
  float cellClip;
  bool isTimeMajor;
  Value output;

  int64_t batch() const { return tensorOf(input).getDimSize(isTimeMajor ? 1 : 0); }
  int64_t steps() const { return tensorOf(input).getDimSize(isTimeMajor ? 0 : 1); }
};

kernels::IntegerLstmScales scalesOf(const Sequence &lstm) {
  kernels::IntegerLstmScales scales;
  scales.input = scaleOf(lstm.input);
  scales.hiddenState = scales.hiddenIntermediate = scaleOf(lstm.hidden);
  scales.cellState = scaleOf(lstm.cell);
  scales.cellClip = lstm.cellClip;
  for (uint32_t gate = 0; gate < kernels::kNumLstmGates; ++gate) {
    scales.inputWeights[gate] = scaleOf(lstm.inputWeights[gate]);
    scales.recurrentWeights[gate] = scaleOf(lstm.recurrentWeights[gate]);
  }
  return scales;
}

/// Matrices are stored as [rows, 1, columns], vectors as [1, 1, elements].
LogicalResult appendConstants(Operation *op, ValueRange values, StringRef operand, Placement &placement,
                              Placement::Dsp &dsp) {
  for (Value value : values) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant)
      return placement.refuse(op, operand, "is constant", "a computed tensor");
    auto type = tensorOf(value);
    StorageShape shape{type.getRank() == 2 ? type.getDimSize(0) : 1, 1, type.getShape().back()};
    dsp.inputs.push_back(placement.constant(constant, storageType(shape, storageElement(type.getElementType()))));
    dsp.inputZeroPoints.push_back(0);
  }
  return success();
}

void appendStates(const Sequence &lstm, Placement &placement, Placement::Dsp &dsp) {
  for (Value state : lstm.states) {
    const int64_t cells = tensorOf(state).getDimSize(1);
    dsp.inputs.push_back(placement.view(lstm.op->getLoc(), placement.operand(state), {1, 1, cells}));
    dsp.inputZeroPoints.push_back(quantizationOf(state).zeroPoint);
  }
}

/// Sets the result types of sequence, hidden state and cell state.
void describeResults(const Sequence &lstm, Placement &placement, Placement::Dsp &dsp) {
  const int64_t steps = lstm.steps(), cells = tensorOf(lstm.output).getDimSize(2);
  Quantization result = quantizationOf(lstm.output);
  Builder &builder = placement.builder();
  Type element = storageElement(tensorOf(lstm.output).getElementType());
  Type cellElement = result.isFloat() ? element : builder.getIntegerType(16);
  dsp.results = {storageType({steps, 1, cells}, element), storageType({1, 1, cells}, element),
                 storageType({1, 1, cells}, cellElement)};
  dsp.resultZeroPoints = {result.zeroPoint, result.zeroPoint, 0};
  // Without states they start at the real number zero, which for the hidden state is its zero point.
  if (lstm.states.empty())
    dsp.resultFills = {-1, result.isFloat() ? 0 : static_cast<uint8_t>(result.zeroPoint), 0};
}

/// The parameters of integers; all zeros for floats.
FailureOr<kernels::IntegerLstmParameters> parametersFor(const Sequence &lstm, Placement &placement) {
  if (quantizationOf(lstm.output).isFloat())
    return kernels::IntegerLstmParameters();
  if (lstm.hidden != tensorOf(lstm.output).getElementType())
    return placement.refuse(lstm.op, "result", "has the type of the hidden state", "another scale or zero point");
  Result<kernels::IntegerLstmParameters> parameters = kernels::prepareIntegerLstm(scalesOf(lstm));
  if (!parameters)
    return placement.refuse(lstm.op, "scales", parameters.status().message(), "");
  return *parameters;
}

LogicalResult appendInputs(const Sequence &lstm, Value input, Placement &placement, Placement::Dsp &dsp) {
  dsp.inputs = {input};
  dsp.inputZeroPoints = {quantizationOf(lstm.input).zeroPoint};
  return success(succeeded(appendConstants(lstm.op, lstm.inputWeights, "input weights", placement, dsp)) &&
                 succeeded(appendConstants(lstm.op, lstm.recurrentWeights, "recurrent weights", placement, dsp)) &&
                 succeeded(appendConstants(lstm.op, lstm.biases, "biases", placement, dsp)));
}

void appendSums(const LstmSums &sums, Placement &placement, Placement::Dsp &dsp) {
  dsp.inputs = {placeSums(sums, placement), placeRecurrentColumns(sums, placement)};
  dsp.inputZeroPoints = {0, 0};
}

bool areConstants(ValueRange values) {
  return llvm::all_of(values, [](Value value) { return value.getDefiningOp<nn::ConstantOp>() != nullptr; });
}

void describeKernel(const Sequence &lstm, bool hasSums, const kernels::IntegerLstmParameters &parameters,
                    Placement::Dsp &dsp) {
  if (quantizationOf(lstm.output).isFloat()) {
    dsp.kernel = hasSums ? kernels::kFloatLstmStepsKernel : kernels::kFloatLstmKernel;
    dsp.parameters = kernels::packParameters(kernels::FloatLstmParameters{lstm.cellClip});
    return;
  }
  dsp.kernel = hasSums ? kernels::kIntegerLstmStepsKernel : kernels::kIntegerLstmKernel;
  dsp.parameters = hasSums ? kernels::packParameters<kernels::IntegerLstmStepsParameters>(parameters)
                           : kernels::packParameters(parameters);
}

bool hasConstants(const Sequence &lstm) {
  return areConstants(lstm.inputWeights) && areConstants(lstm.recurrentWeights) && areConstants(lstm.biases);
}

FailureOr<npu::DspOp> placeSequence(const Sequence &lstm, Placement &placement) {
  FailureOr<kernels::IntegerLstmParameters> parameters = parametersFor(lstm, placement);
  if (failed(parameters))
    return failure();
  const int64_t features = tensorOf(lstm.input).getDimSize(2);
  const Value input = placement.view(lstm.op->getLoc(), placement.operand(lstm.input), {lstm.steps(), 1, features});
  const LstmSums sums = {lstm.op,
                         input,
                         quantizationOf(lstm.input).zeroPoint,
                         lstm.inputWeights,
                         lstm.recurrentWeights,
                         lstm.biases,
                         parameters->input};
  Placement::Dsp dsp;
  const bool hasSums = hasConstants(lstm) && arrayTakesSums(sums, placement);
  if (hasSums)
    appendSums(sums, placement, dsp);
  else if (failed(appendInputs(lstm, input, placement, dsp)))
    return failure();
  describeKernel(lstm, hasSums, *parameters, dsp);
  describeResults(lstm, placement, dsp);
  appendStates(lstm, placement, dsp);
  return placement.dsp(lstm.op, dsp);
}

LogicalResult placeLstm(nn::LstmOp op, Placement &placement) {
  const Sequence lstm{op,
                      op.getInput(),
                      op.getInputWeights(),
                      op.getRecurrentWeights(),
                      op.getBiases(),
                      {},
                      op.getCellType().value_or(Type()),
                      op.getHiddenType().value_or(Type()),
                      op.getCellClip().convertToFloat(),
                      op.getTimeMajor(),
                      op.getOutput()};
  if (lstm.batch() != 1)
    return placement.refuse(op, "input", "batch", Twine(lstm.batch()), "1");
  FailureOr<npu::DspOp> placed = placeSequence(lstm, placement);
  return failed(placed) ? failure() : placement.finish(op, placed->getResult(0));
}

Sequence sequenceOf(nn::LstmCellOp op) {
  return {op,
          op.getInput(),
          op.getInputWeights(),
          op.getRecurrentWeights(),
          op.getBiases(),
          {op.getOutputState(), op.getCellState()},
          tensorOf(op.getCellState()).getElementType(),
          tensorOf(op.getOutputState()).getElementType(),
          op.getCellClip().convertToFloat(),
          !op.getBatchMajor(),
          op.getOutput()};
}

/// Whether the sums of all gates have 12 fractional bits.
bool hasUsualSums(nn::LstmCellOp op) {
  auto types = llvm::to_vector(op.getIntermediates()->getAsValueRange<TypeAttr>());
  return llvm::all_of(ArrayRef(types).drop_back(), [](Type type) { return scaleOf(type) == 1.0f / 4096; }) &&
         types.back() == tensorOf(op.getOutput()).getElementType();
}

bool hasTypesOfSequences(nn::LstmCellOp op) {
  const bool isFloat = tensorOf(op.getInput()).getElementType().isF32();
  if (isFloat)
    return tensorOf(op.getInputWeights().front()).getElementType().isF32();
  return op.getIntermediates() && hasUsualSums(op);
}

} // namespace

bool isPlainSequence(nn::LstmCellOp op) {
  const bool hasParts = !op.getPeepholes().empty() || !op.getProjection().empty() || !op.getLayerNorm().empty() ||
                        op.getInputWeights().size() != kernels::kNumLstmGates || !op.getGates().use_empty();
  return !hasParts && tensorOf(op.getInput()).getRank() == 3 && sequenceOf(op).batch() == 1 &&
         op.getActivation() == nn::CellActivation::Tanh && areConstants(op.getInputWeights()) &&
         areConstants(op.getRecurrentWeights()) && areConstants(op.getBiases()) && hasTypesOfSequences(op);
}

LogicalResult placePlainSequence(nn::LstmCellOp op, Placement &placement) {
  FailureOr<npu::DspOp> placed = placeSequence(sequenceOf(op), placement);
  if (failed(placed))
    return failure();
  const std::pair<Value, Value> results[] = {{op.getOutput(), placed->getResult(0)},
                                             {op.getOutputStateOut(), placed->getResult(1)},
                                             {op.getCellStateOut(), placed->getResult(2)}};
  for (auto [result, storage] : results)
    placement.bind(result, placement.view(op.getLoc(), storage, storageShape(tensorOf(result).getShape())));
  return success();
}

void addLstmPlacers(PlacerTable &table) { table.add(placeLstm); }

} // namespace avocet::compiler
