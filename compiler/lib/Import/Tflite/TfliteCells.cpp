//===- TfliteCells.cpp - Cells of recurrent networks ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SVDF, RNN, UNIDIRECTIONAL_SEQUENCE_RNN and LSTM in floats. Each run starts from zero state.
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

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

/// A matrix, with a refusal of other ranks.
Value matrix(TfliteOperator &op, Value value, StringRef operand) {
  if (value && shapeOf(value).size() != 2)
    return op.malformed("has " + operand + " of rank " + Twine(shapeOf(value).size()) + ", must be 2");
  return value;
}

/// Operands: input, feature weights, time weights, bias, state.
LogicalResult convertSvdf(TfliteOperator &op) {
  auto *options = op.options<tflite::SVDFOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Value input = matrix(op, op.value(0, "input"), "input");
  Value features = matrix(op, op.weights(1, "feature weights"), "feature weights");
  Value time = op.weights(2, "time weights"), bias = op.hasInput(3) ? op.weights(3, "bias") : Value();
  Value state = op.zeroState(4, "state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, options->activation());
  if (!input || !features || !time || (op.hasInput(3) && !bias) || !state || failed(activation))
    return failure();
  const int64_t filters = shapeOf(features)[0], rank = options->rank();
  if (rank < 1 || filters % rank != 0)
    return op.malformed("has the rank " + Twine(rank) + " of " + Twine(filters) + " filters");
  RankedTensorType result = op.resultType(0, {shapeOf(input)[0], filters / rank});
  if (!result)
    return failure();
  auto cell = nn::SvdfOp::create(op.builder(), op.location(), state.getType(), result, input, features, time, bias,
                                 state, rank, *activation);
  return op.finish(cell.getOutput());
}

/// Operands: input (one step, or a sequence), weights, recurrent weights, bias, state.
LogicalResult finishRnn(TfliteOperator &op, tflite::ActivationFunction function, size_t rank, bool isBatchMajor) {
  Value input = op.value(0, "input"), weights = op.weights(1, "weights");
  Value recurrent = op.weights(2, "recurrent weights"), bias = op.weights(3, "bias");
  Value state = matrix(op, op.zeroState(4, "state"), "state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, function);
  if (!input || !weights || !recurrent || !bias || !state || failed(activation))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  if (shape.size() != rank)
    return op.malformed("has an input of rank " + Twine(shape.size()) + ", must be " + Twine(rank));
  shape.back() = shapeOf(state)[1];
  RankedTensorType result = op.resultType(0, shape);
  if (!result)
    return failure();
  auto cell = nn::RnnCellOp::create(op.builder(), op.location(), state.getType(), result, input, weights, recurrent,
                                    bias, state, *activation, isBatchMajor);
  return op.finish(cell.getOutput());
}

LogicalResult convertRnn(TfliteOperator &op) {
  auto *options = op.options<tflite::RNNOptions>();
  return options ? finishRnn(op, options->activation(), 2, false) : LogicalResult(op.malformed("lacks its options"));
}

LogicalResult convertSequenceRnn(TfliteOperator &op) {
  auto *options = op.options<tflite::SequenceRNNOptions>();
  return options ? finishRnn(op, options->activation(), 3, !options->time_major())
                 : LogicalResult(op.malformed("lacks its options"));
}

/// Positions of an LSTM's operands; gates are in the order input, forget, cell, output.
constexpr uint32_t kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                   kOutputState = 18, kCellState = 19, kLayerNorm = 20, kLstmInputs = 24;

/// Reads the operands of a group that are there; the rules of the cell decide which ones must be.
FailureOr<SmallVector<Value>> present(TfliteOperator &op, uint32_t first, uint32_t count, StringRef operand) {
  SmallVector<Value> values;
  for (uint32_t position = first; position < first + count; ++position) {
    if (!op.hasInput(position))
      continue;
    values.push_back(op.weights(position, operand));
    if (!values.back())
      return failure();
  }
  return values;
}

LogicalResult convertLstm(TfliteOperator &op) {
  auto *options = op.options<tflite::LSTMOptions>();
  if (!options || options->kernel_type() != tflite::LstmKernelType::FULL)
    return options ? LogicalResult(op.refuse("kernel", "is the full form", "the basic form"))
                   : LogicalResult(op.malformed("lacks its options"));
  if (!(options->cell_clip() >= 0) || !(options->proj_clip() >= 0))
    return op.malformed("has a clip that is less than 0");
  Value input = matrix(op, op.value(0, "input"), "input");
  auto inputWeights = present(op, kInputWeights, 4, "input weights"),
       recurrent = present(op, kRecurrentWeights, 4, "recurrent weights"),
       peepholes = present(op, kPeepholes, 3, "peephole weights"), biases = present(op, kBiases, 4, "biases"),
       projection = present(op, kProjection, 2, "projection"), norm = present(op, kLayerNorm, 4, "layer normalisation");
  Value outputState = matrix(op, op.zeroState(kOutputState, "output state"), "output state");
  Value cellState = matrix(op, op.zeroState(kCellState, "cell state"), "cell state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, options->activation());
  if (!input || failed(inputWeights) || failed(recurrent) || failed(peepholes) || failed(biases) ||
      failed(projection) || failed(norm) || !outputState || !cellState || failed(activation))
    return failure();
  const int64_t batch = shapeOf(input)[0], cells = shapeOf(cellState)[1];
  RankedTensorType result = op.resultType(0, {batch, shapeOf(outputState)[1]});
  if (!result)
    return failure();
  auto gates = RankedTensorType::get({batch, static_cast<int64_t>(inputWeights->size()) * cells}, elementOf(input));
  auto cell =
      nn::LstmCellOp::create(op.builder(), op.location(), gates, outputState.getType(), cellState.getType(), result,
                             input, outputState, cellState, *inputWeights, *recurrent, *peepholes, *biases, *projection,
                             *norm, *activation, APFloat(options->cell_clip()), APFloat(options->proj_clip()), false);
  return op.finish(cell.getOutput());
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::LSTM, 20, kLstmInputs, convertLstm},
    {BuiltinOperator::RNN, 5, 5, convertRnn},
    {BuiltinOperator::SVDF, 5, 5, convertSvdf},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, convertSequenceRnn},
};

} // namespace

ArrayRef<TfliteConverter> tfliteCellConverters() { return kConverters; }

} // namespace avocet::compiler
