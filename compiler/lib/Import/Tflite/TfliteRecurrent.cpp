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
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// States are variables, which keep their values between runs.
inline auto variableStates(TfliteOperator &op) {
  return [&op](uint32_t position, llvm::StringRef operand) { return op.state(position, operand); };
}

/// LSTM of one step, or of a sequence with `rank` 3; the operands are those of both operators.
mlir::LogicalResult convertCell(TfliteOperator &op, CellForm form, size_t rank);

/// LSTM of one step whose gates have one matrix, in the order of the rows input, cell, forget, output.
mlir::LogicalResult convertBasicLstm(TfliteOperator &op, tflite::ActivationFunction activation);

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

/// The activation and the clips, which options of all LSTMs have.
template <typename Options> FailureOr<CellForm> lstmForm(TfliteOperator &op, const Options &options) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, options.activation());
  if (failed(activation))
    return failure();
  if (!(options.cell_clip() >= 0) || !(options.proj_clip() >= 0))
    return op.malformed("has a clip that is less than 0");
  CellForm form;
  form.activation = *activation;
  form.cellClip = options.cell_clip();
  form.projectionClip = options.proj_clip();
  form.asymmetric = options.asymmetric_quantize_inputs();
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

/// A matrix, with a refusal of other ranks.
Value matrix(TfliteOperator &op, Value value, StringRef operand) {
  if (value && shapeOf(value).size() != 2)
    return op.malformed("has " + operand + " of rank " + Twine(shapeOf(value).size()) + ", must be 2");
  return value;
}

/// A cell whose results are its next state and the result of the operator.
template <typename CellOp, typename... Arguments>
CellOp createCell(TfliteOperator &op, Type state, const Arguments &...arguments) {
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, Type) {
    return index == 0 ? boundedType(op, shape, state) : declaredType(op, 0, shape, {});
  };
  return createWith<CellOp>(op, typeOf, arguments...);
}

/// A quantised SVDF clamps by the range of its result, which the reference does not clamp further.
FailureOr<nn::CellActivation> svdfActivation(TfliteOperator &op, Value input, tflite::ActivationFunction function) {
  const bool isClamped = function == tflite::ActivationFunction::NONE || function == tflite::ActivationFunction::RELU;
  if (!input || !isQuantized(input))
    return cellActivation(op, function);
  if (isClamped)
    return nn::CellActivation::None;
  return op.refuse("fused activation", "is a function of quantised cells", EnumNameActivationFunction(function),
                   "NONE or RELU");
}

/// Operands: input, feature weights, time weights, bias, state.
LogicalResult convertSvdf(TfliteOperator &op) {
  auto *options = op.options<tflite::SVDFOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Value input = matrix(op, op.value(0, "input"), "input");
  Value features = matrix(op, op.weights(1, "feature weights"), "feature weights");
  Value time = op.weights(2, "time weights"), bias = op.hasInput(3) ? op.weights(3, "bias") : Value();
  Value state = op.state(kState, "state");
  FailureOr<nn::CellActivation> activation = svdfActivation(op, input, options->activation());
  if (!input || !features || !time || (op.hasInput(3) && !bias) || !state || failed(activation))
    return failure();
  // Only the feature weights of a hybrid cell are multiplied in integers.
  if (!isQuantized(input) && isQuantized(time))
    time = createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), time);
  auto cell = createCell<nn::SvdfOp>(op, elementOf(state), input, features, time, bias, state, options->rank(),
                                     *activation, options->asymmetric_quantize_inputs());
  return !cell || failed(op.finish(cell.getOutput())) ? failure() : setStates(op, kState, cell.getStateOut());
}

/// Operands: input (one step, or a sequence), weights, recurrent weights, bias, state.
LogicalResult finishRnn(TfliteOperator &op, tflite::ActivationFunction function, size_t rank, bool isBatchMajor,
                        bool asymmetric) {
  Value input = op.value(0, "input"), weights = op.weights(1, "weights");
  Value recurrent = op.weights(2, "recurrent weights"), bias = op.weights(3, "bias");
  Value state = matrix(op, op.state(kState, "state"), "state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, function);
  if (!input || !weights || !recurrent || !bias || !state || failed(activation))
    return failure();
  if (shapeOf(input).size() != rank)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be " + Twine(rank));
  auto cell = createCell<nn::RnnCellOp>(op, elementOf(state), input, weights, recurrent, bias, state, *activation,
                                        isBatchMajor, asymmetric);
  return !cell || failed(op.finish(cell.getOutput())) ? failure() : setStates(op, kState, cell.getStateOut());
}

LogicalResult convertRnn(TfliteOperator &op) {
  auto *options = op.options<tflite::RNNOptions>();
  return options ? finishRnn(op, options->activation(), 2, false, options->asymmetric_quantize_inputs())
                 : LogicalResult(op.malformed("lacks its options"));
}

LogicalResult convertSequenceRnn(TfliteOperator &op) {
  auto *options = op.options<tflite::SequenceRNNOptions>();
  return options
             ? finishRnn(op, options->activation(), 3, !options->time_major(), options->asymmetric_quantize_inputs())
             : LogicalResult(op.malformed("lacks its options"));
}

constexpr uint32_t kLstmFewestInputs = 20;

LogicalResult convertLstm(TfliteOperator &op) {
  auto *options = op.options<tflite::LSTMOptions>();
  if (!options)
    return op.malformed("lacks its options");
  if (options->kernel_type() == tflite::LstmKernelType::BASIC)
    return convertBasicLstm(op, options->activation());
  if (op.numInputs() < kLstmFewestInputs || op.numOutputs() != 1)
    return op.malformed("has " + Twine(op.numInputs()) + " operands and " + Twine(op.numOutputs()) +
                        " results, must have " + Twine(kLstmFewestInputs) + " or more and 1");
  FailureOr<CellForm> form = lstmForm(op, *options);
  return failed(form) ? failure() : convertCell(op, *form, 2);
}

LogicalResult convertBidirectionalLstm(TfliteOperator &op) {
  auto *options = op.options<tflite::BidirectionalSequenceLSTMOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<CellForm> form = lstmForm(op, *options);
  if (failed(form))
    return failure();
  form->batchMajor = !options->time_major();
  auto states = convertBidirectionalLstm(op, *form, options->merge_outputs(), variableStates(op));
  return failed(states) ? failure() : setStates(op, kLstmStates, *states);
}

LogicalResult convertBidirectionalRnn(TfliteOperator &op) {
  auto *options = op.options<tflite::BidirectionalSequenceRNNOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<nn::CellActivation> activation = cellActivation(op, options->activation());
  if (failed(activation))
    return failure();
  CellForm form;
  form.activation = *activation;
  form.batchMajor = !options->time_major();
  form.asymmetric = options->asymmetric_quantize_inputs();
  auto states = convertBidirectionalRnn(op, form, options->merge_outputs(), variableStates(op));
  return failed(states) ? failure() : setStates(op, kRnnStates, *states);
}

/// The basic form of LSTM has fewer operands than the full form, and more results.
constexpr uint32_t kBasicLstmInputs = 5, kBasicLstmOutputs = 4;

using tflite::BuiltinOperator;
/// Operands of one LSTM; layer normalisation is last.
constexpr LstmPositions kPositions{0, 18, 19, 20};
constexpr uint32_t kNumInputs = 24, kGates = 4;
/// The intermediate that carries the quantisation of the hidden state before any projection.
constexpr uint32_t kHiddenIntermediate = 4;

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

LogicalResult convertCell(TfliteOperator &op, CellForm form, size_t rank) {
  LstmOperands operands;
  if (failed(readLstmStates(op, kPositions, rank, variableStates(op), operands)) ||
      failed(readLstmWeights(op, kPositions, operands)))
    return failure();
  if (isQuantized(operands.input) && failed(addIntermediates(op, operands, form)))
    return failure();
  nn::LstmCellOp cell = createLstm(op, operands, form);
  if (!cell || !op.resultType(0, shapeOf(cell.getOutput())) || failed(op.finish(cell.getOutput())))
    return failure();
  return setStates(op, {kPositions.outputState, kPositions.cellState},
                   {cell.getOutputStateOut(), cell.getCellStateOut()});
}

enum Operand : uint32_t { kInput, kOutputState, kWeights, kBiases, kCellState, kNumOperands };
/// Results 2 and 3 are buffers of the reference's kernel: the multiplied vector, and the sums of the gates.
enum Result : uint32_t { kOutput, kNewCellState, kMultiplied, kSums, kNumResults };

/// Where the gates input, forget, cell and output, in the order of the nn operations, are among the rows.
constexpr int64_t kBlocks[] = {0, 2, 1, 3};

struct Weights {
  SmallVector<Value> input, recurrent, biases; ///< one for each gate
};

/// A part of the weights or biases; they are divided when the network is compiled if they are constants.
Value part(TfliteOperator &op, Value all, ArrayRef<int64_t> begin, ArrayRef<int64_t> extents) {
  return slice(op, all, begin, extents, SmallVector<int64_t>(begin.size(), 1));
}

FailureOr<Weights> divide(TfliteOperator &op, Value matrix, Value biases, int64_t features, int64_t cells) {
  Weights weights;
  for (int64_t block : kBlocks) {
    weights.input.push_back(part(op, matrix, {block * cells, 0}, {cells, features}));
    weights.recurrent.push_back(part(op, matrix, {block * cells, features}, {cells, cells}));
    weights.biases.push_back(part(op, biases, {block * cells}, {cells}));
    if (!weights.input.back() || !weights.recurrent.back() || !weights.biases.back())
      return failure();
  }
  return weights;
}

/// States are variables, or operands like others.
Value operandOf(TfliteOperator &op, uint32_t position, StringRef name) {
  return op.isVariable(position) ? op.state(position, name) : op.value(position, name);
}

LogicalResult checkShape(TfliteOperator &op, StringRef operand, Value value, ArrayRef<int64_t> expected) {
  if (shapeOf(value) == expected)
    return success();
  std::string found;
  llvm::raw_string_ostream(found) << "[" << llvm::interleaved(shapeOf(value)) << "], must be ["
                                  << llvm::interleaved(expected) << "]";
  return op.malformed("has " + operand + " of shape " + found);
}

/// Output and new cell state.
using States = std::pair<Value, Value>;

States createFloat(TfliteOperator &op, ArrayRef<Value> values, const Weights &weights) {
  LstmOperands operands;
  operands.input = values[kInput];
  operands.outputState = values[kOutputState];
  operands.cellState = values[kCellState];
  operands.inputWeights = weights.input;
  operands.recurrentWeights = weights.recurrent;
  operands.biases = weights.biases;
  nn::LstmCellOp cell = createLstm(op, operands, CellForm());
  return cell ? States{cell.getOutput(), cell.getCellStateOut()} : States();
}

States createQuantized(TfliteOperator &op, ArrayRef<Value> values, const Weights &weights) {
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, Type) {
    return boundedType(op, shape, elementOf(values[index == 0 ? kCellState : kOutputState]));
  };
  auto cell = createWith<nn::Quantized16bitLstmOp>(op, typeOf, values[kInput], values[kOutputState], values[kCellState],
                                                   weights.input, weights.recurrent, weights.biases);
  return cell ? States{cell.getOutput(), cell.getCellStateOut()} : States();
}

LogicalResult checkShapes(TfliteOperator &op, ArrayRef<Value> values) {
  for (uint32_t position : {kInput, kCellState})
    if (shapeOf(values[position]).size() != 2)
      return op.malformed("has an input or a state of rank " + Twine(shapeOf(values[position]).size()) + ", must be 2");
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
  FailureOr<Weights> weights =
      divide(op, values[kWeights], values[kBiases], shapeOf(values[kInput])[1], shapeOf(values[kCellState])[1]);
  if (failed(weights))
    return failure();
  const bool isQuantized = isa<quant::QuantizedType>(elementOf(values[kInput]));
  return finishBasic(op, values,
                     isQuantized ? createQuantized(op, values, *weights) : createFloat(op, values, *weights));
}

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, 39, kLstmAuxEnd, convertBidirectionalLstm, 1, 2},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, convertBidirectionalRnn, 1, 2},
    {BuiltinOperator::LSTM, kBasicLstmInputs, 24, convertLstm, 1, kBasicLstmOutputs},
    {BuiltinOperator::RNN, 5, 5, convertRnn},
    {BuiltinOperator::SVDF, 5, 5, convertSvdf},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, convertSequenceRnn},
    {tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, kNumInputs, convertSequence},
};

} // namespace

ArrayRef<TfliteConverter> tfliteRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
