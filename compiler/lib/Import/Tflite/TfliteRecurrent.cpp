//===- TfliteRecurrent.cpp - LSTM cells and sequences -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The basic kernel of LSTM: one matrix multiplies the input, followed by the output state, and has the rows of all
// gates. TensorFlow Lite computes it in float32, or with 8-bit values and 16-bit gates.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Bidirectional.h"
#include "Import/Common/Cells.h"
#include "Import/Common/Elements.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// States are variables, which keep their values between runs.
auto variableStates(TfliteOperator &op) {
  return [&op](uint32_t position, llvm::StringRef operand) { return op.state(position, operand); };
}

/// The numbers of both enumerations are equal, except that cells have no SIGN_BIT.
FailureOr<nn::CellActivation> cellActivation(TfliteOperator &op, tflite::ActivationFunction function) {
  static_assert(static_cast<int>(tflite::ActivationFunction::RELU) == static_cast<int>(nn::CellActivation::Relu) &&
                static_cast<int>(tflite::ActivationFunction::RELU6) == static_cast<int>(nn::CellActivation::Relu6) &&
                static_cast<int>(tflite::ActivationFunction::TANH) == static_cast<int>(nn::CellActivation::Tanh));
  if (function >= tflite::ActivationFunction::NONE && function <= tflite::ActivationFunction::TANH)
    return *nn::symbolizeCellActivation(static_cast<uint32_t>(function));
  return op.refuse("fused activation", "is a function of cells", std::to_string(static_cast<int>(function)),
                   "NONE, RELU, RELU_N1_TO_1, RELU6 or TANH");
}

/// What the options have of a cell's form.
template <typename Options> FailureOr<CellForm> cellForm(TfliteOperator &op, const Options &options) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, options.activation());
  if (failed(activation))
    return failure();
  CellForm form;
  form.activation = *activation;
  form.asymmetric = options.asymmetric_quantize_inputs();
  if constexpr (requires { options.time_major(); })
    form.batchMajor = !options.time_major();
  if constexpr (requires { options.cell_clip(); }) {
    form.cellClip = options.cell_clip();
    form.projectionClip = options.proj_clip();
  }
  if (!(form.cellClip >= 0) || !(form.projectionClip >= 0))
    return op.malformed("has a clip that is less than 0");
  return form;
}

/// Replaces the states at these positions, after the operator has its result: a refused one leaves them as they are.
LogicalResult setStates(TfliteOperator &op, ArrayRef<uint32_t> positions, ValueRange next) {
  for (auto [position, value] : llvm::zip_equal(positions, next))
    op.setState(position, value);
  return success();
}

/// The operand of SVDF and RNN.
constexpr uint32_t kState = 4;

/// The types of a cell's results, which are its next state and the result of the operator.
auto cellTypes(TfliteOperator &op, Type state) {
  return [&op, state](uint32_t index, nn::ShapeRef shape, Type) {
    return index == 0 ? boundedType(op, shape, state) : declaredType(op, 0, shape, {});
  };
}

template <typename CellOp> LogicalResult finishCell(TfliteOperator &op, CellOp cell) {
  return !cell || failed(op.finish(cell.getOutput())) ? failure() : setStates(op, kState, cell.getStateOut());
}

/// A quantized SVDF clamps by the range of its result, which the reference does not clamp further.
FailureOr<nn::CellActivation> svdfActivation(TfliteOperator &op, Value input, tflite::ActivationFunction function) {
  const bool isClamped = function == tflite::ActivationFunction::NONE || function == tflite::ActivationFunction::RELU;
  if (!input || !isQuantized(input))
    return cellActivation(op, function);
  if (isClamped)
    return nn::CellActivation::None;
  return op.refuse("fused activation", "is a function of quantized cells", EnumNameActivationFunction(function),
                   "NONE or RELU");
}

/// Operands: input, feature weights, time weights, bias, state.
LogicalResult convertSvdf(TfliteOperator &op, const tflite::SVDFOptions &options) {
  Value input = op.value(0, "input"), features = op.weights(1, "feature weights");
  Value time = op.weights(2, "time weights"), bias = op.hasInput(3) ? op.weights(3, "bias") : Value();
  Value state = op.state(kState, "state");
  FailureOr<nn::CellActivation> activation = svdfActivation(op, input, options.activation());
  if (!input || !features || !time || (op.hasInput(3) && !bias) || !state || failed(activation))
    return failure();
  // Only the feature weights of a hybrid cell are multiplied in integers.
  if (!isQuantized(input) && isQuantized(time))
    time = createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), time);
  return finishCell(op, createWith<nn::SvdfOp>(op, cellTypes(op, elementOf(state)), input, features, time, bias, state,
                                               options.rank(), *activation, options.asymmetric_quantize_inputs()));
}

/// Operands: input (one step, or a sequence), weights, recurrent weights, bias, state.
template <typename Options, size_t rank> LogicalResult convertRnn(TfliteOperator &op, const Options &options) {
  FailureOr<CellForm> form = cellForm(op, options);
  Value input = ofRank(op, op.value(0, "input"), "an input", rank);
  if (failed(form) || !input)
    return failure();
  return finishCell(op, createRnn(op, input, op.parameter(1, "weights"), 2, *form, variableStates(op),
                                  cellTypes(op, elementOf(input))));
}

LogicalResult convertBidirectionalLstm(TfliteOperator &op, const tflite::BidirectionalSequenceLSTMOptions &options) {
  FailureOr<CellForm> form = cellForm(op, options);
  if (failed(form))
    return failure();
  auto states = convertBidirectionalLstm(op, *form, options.merge_outputs(), variableStates(op));
  return failed(states) ? failure() : setStates(op, kLstmStates, *states);
}

LogicalResult convertBidirectionalRnn(TfliteOperator &op, const tflite::BidirectionalSequenceRNNOptions &options) {
  FailureOr<CellForm> form = cellForm(op, options);
  if (failed(form))
    return failure();
  auto states = convertBidirectionalRnn(op, *form, options.merge_outputs(), variableStates(op));
  return failed(states) ? failure() : setStates(op, kRnnStates, *states);
}

using tflite::BuiltinOperator;
/// Operands of one LSTM; layer normalization is last.
constexpr LstmPositions kPositions{0, 18, 19, 20};
constexpr uint32_t kNumInputs = 24, kGates = 4;
/// The intermediate that carries the quantization of the hidden state before any projection.
constexpr uint32_t kHiddenIntermediate = 4;

/// Sums of gates have 12 fractional bits; with normalization the file gives a scale for each.
FailureOr<Type> sumType(TfliteOperator &op, uint32_t gate, bool isNormalized) {
  if (isNormalized) {
    RankedTensorType declared = op.intermediateElement(gate, "intermediate of a gate");
    if (!declared)
      return failure();
    return declared.getElementType();
  }
  return QuantizedStorage{16, true}.perTensor(op.builder().getContext(), 1.0 / 4096, 0);
}

/// Adds the types of inner values. Fails for cells that are quantized in another way.
LogicalResult addIntermediates(TfliteOperator &op, const LstmOperands &operands, CellForm &form) {
  auto cell = dyn_cast<quant::UniformQuantizedType>(elementOf(operands.cellState));
  if (!cell || cell.getStorageTypeIntegralWidth() != 16)
    return op.refuse("cell state", "is INT16 if the input is quantized", "another type");
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

/// LSTM of one step, or of a sequence with `rank` 3; the operands are those of both operators.
LogicalResult convertCell(TfliteOperator &op, CellForm form, size_t rank) {
  FailureOr<LstmOperands> operands = readLstm(op, kPositions, rank, variableStates(op));
  if (failed(operands) || (isQuantized(operands->input) && failed(addIntermediates(op, *operands, form))))
    return failure();
  nn::LstmCellOp cell = createLstm(op, *operands, form);
  if (!cell || !op.resultType(0, shapeOf(cell.getOutput())) || failed(op.finish(cell.getOutput())))
    return failure();
  return setStates(op, {kPositions.outputState, kPositions.cellState},
                   {cell.getOutputStateOut(), cell.getCellStateOut()});
}

LogicalResult convertSequence(TfliteOperator &op, const tflite::UnidirectionalSequenceLSTMOptions &options) {
  if (options.diagonal_recurrent_tensors())
    return op.refuse("recurrent weights", "are full matrices", "diagonals");
  FailureOr<CellForm> form = cellForm(op, options);
  return failed(form) ? failure() : convertCell(op, *form, 3);
}

enum Operand : uint32_t { kInput, kOutputState, kWeights, kBiases, kCellState, kNumOperands };
/// Results 2 and 3 are buffers of the reference's kernel: the multiplied vector, and the sums of the gates.
enum Result : uint32_t { kOutput, kNewCellState, kMultiplied, kSums, kNumResults };

/// Where the gates input, forget, cell and output, in the order of the nn operations, are among the rows.
constexpr int64_t kBlocks[] = {0, 2, 1, 3};

/// Divides the weights and biases; this happens when the network is compiled if they are constants.
void addGates(TfliteOperator &op, ArrayRef<Value> values, LstmOperands &operands) {
  const int64_t features = shapeOf(values[kInput])[1], cells = shapeOf(values[kCellState])[1];
  for (int64_t block : kBlocks) {
    operands.inputWeights.push_back(slice(op, values[kWeights], {block * cells, 0}, {cells, features}));
    operands.recurrentWeights.push_back(slice(op, values[kWeights], {block * cells, features}, {cells, cells}));
    operands.biases.push_back(slice(op, values[kBiases], {block * cells}, {cells}));
  }
}

/// States are variables, or operands like others.
Value operandOf(TfliteOperator &op, uint32_t position, StringRef name) {
  return op.isVariable(position) ? op.state(position, name) : op.value(position, name);
}

LogicalResult checkShape(TfliteOperator &op, StringRef operand, Value value, ArrayRef<int64_t> expected) {
  if (shapeOf(value) == expected)
    return success();
  return op.malformed("has " + operand + " of shape " + nn::textOf(shapeOf(value)) + ", must be " +
                      nn::textOf(expected));
}

/// Output and new cell state.
using States = std::pair<Value, Value>;

States createStep(TfliteOperator &op, const LstmOperands &operands) {
  if (!isQuantized(operands.input)) {
    nn::LstmCellOp cell = createLstm(op, operands, CellForm());
    return cell ? States{cell.getOutput(), cell.getCellStateOut()} : States();
  }
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, Type) {
    return boundedType(op, shape, elementOf(index == 0 ? operands.cellState : operands.outputState));
  };
  auto cell = createWith<nn::Quantized16bitLstmOp>(op, typeOf, operands.input, operands.outputState, operands.cellState,
                                                   operands.inputWeights, operands.recurrentWeights, operands.biases);
  return cell ? States{cell.getOutput(), cell.getCellStateOut()} : States();
}

LogicalResult checkShapes(TfliteOperator &op, ArrayRef<Value> values) {
  for (uint32_t position : {kInput, kCellState})
    if (!ofRank(op, values[position], "an input or a state", 2))
      return failure();
  const int64_t batch = shapeOf(values[kInput])[0], features = shapeOf(values[kInput])[1];
  const int64_t cells = shapeOf(values[kCellState])[1];
  return success(succeeded(checkShape(op, "an output state", values[kOutputState], {batch, cells})) &&
                 succeeded(checkShape(op, "a cell state", values[kCellState], {batch, cells})) &&
                 succeeded(checkShape(op, "weights", values[kWeights], {4 * cells, features + cells})) &&
                 succeeded(checkShape(op, "biases", values[kBiases], {4 * cells})));
}

/// The sums of gates do not exist on the device: an operator that reads them gets the error of an undefined tensor.
LogicalResult finishBasic(TfliteOperator &op, ArrayRef<Value> values, const States &states) {
  Value multiplied = concatenate(op, {values[kInput], values[kOutputState]}, 1);
  if (!states.first)
    return failure();
  if (!op.resultType(kOutput, shapeOf(states.first)) || !op.resultType(kNewCellState, shapeOf(states.second)))
    return failure();
  if (failed(op.finish(states.first, kOutput)) || failed(op.finish(states.second, kNewCellState)) ||
      failed(op.finish(multiplied, kMultiplied)))
    return failure();
  for (auto [position, next] : {std::pair(kOutputState, states.first), std::pair(kCellState, states.second)})
    if (op.isVariable(position))
      op.setState(position, next);
  return success();
}

/// LSTM of one step whose gates have one matrix, in the order of the rows input, cell, forget, output.
LogicalResult convertBasicLstm(TfliteOperator &op, tflite::ActivationFunction activation) {
  if (op.numInputs() != kNumOperands || op.numOutputs() != kNumResults)
    return op.malformed("has " + Twine(op.numInputs()) + " operands and " + Twine(op.numOutputs()) +
                        " results, must have " + Twine(uint32_t(kNumOperands)) + " and " +
                        Twine(uint32_t(kNumResults)));
  if (activation != tflite::ActivationFunction::TANH)
    return op.refuse("fused activation", "is TANH in the basic form", EnumNameActivationFunction(activation));
  SmallVector<Value> values;
  for (StringRef operand : {"input", "output state", "weights", "biases", "cell state"}) {
    values.push_back(operandOf(op, values.size(), operand));
    if (!values.back())
      return failure();
  }
  if (failed(checkShapes(op, values)))
    return failure();
  LstmOperands operands;
  operands.input = values[kInput];
  operands.outputState = values[kOutputState];
  operands.cellState = values[kCellState];
  addGates(op, values, operands);
  return finishBasic(op, values, createStep(op, operands));
}

constexpr uint32_t kLstmFewestInputs = 20;

LogicalResult convertLstm(TfliteOperator &op, const tflite::LSTMOptions &options) {
  if (options.kernel_type() == tflite::LstmKernelType::BASIC)
    return convertBasicLstm(op, options.activation());
  if (op.numInputs() < kLstmFewestInputs || op.numOutputs() != 1)
    return op.malformed("has " + Twine(op.numInputs()) + " operands and " + Twine(op.numOutputs()) +
                        " results, must have " + Twine(kLstmFewestInputs) + " or more and 1");
  FailureOr<CellForm> form = cellForm(op, options);
  return failed(form) ? failure() : convertCell(op, *form, 2);
}

/// The basic form of LSTM has fewer operands than the full form, and more results.
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, 39, kLstmAuxEnd, withOptions<convertBidirectionalLstm>, 1, 2},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, withOptions<convertBidirectionalRnn>, 1, 2},
    {BuiltinOperator::LSTM, kNumOperands, kNumInputs, withOptions<convertLstm>, 1, kNumResults},
    {BuiltinOperator::RNN, 5, 5, withOptions<convertRnn<tflite::RNNOptions, 2>>},
    {BuiltinOperator::SVDF, 5, 5, withOptions<convertSvdf>},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, withOptions<convertRnn<tflite::SequenceRNNOptions, 3>>},
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, kNumInputs, withOptions<convertSequence>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
