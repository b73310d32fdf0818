//===- TfliteCells.cpp - Cells of recurrent networks ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SVDF, RNN, LSTM and bidirectional layers. Their states are variables, which keep their values between runs.
//
//===----------------------------------------------------------------------===//

#include "TfliteCells.h"

#include "Import/Common/Bidirectional.h"

using namespace mlir;

namespace avocet::compiler {
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

LogicalResult setStates(TfliteOperator &op, ArrayRef<uint32_t> positions, ValueRange next) {
  for (auto [position, value] : llvm::zip_equal(positions, next))
    op.setState(position, value);
  return success();
}

namespace {

/// The operand of SVDF and RNN.
constexpr uint32_t kState = 4;

/// A matrix, with a refusal of other ranks.
Value matrix(TfliteOperator &op, Value value, StringRef operand) {
  if (value && shapeOf(value).size() != 2)
    return op.malformed("has " + operand + " of rank " + Twine(shapeOf(value).size()) + ", must be 2");
  return value;
}

bool isQuantized(Value value) { return isa<quant::QuantizedType>(elementOf(value)); }

Value dequantized(TfliteOperator &op, Value value) {
  auto type = RankedTensorType::get(shapeOf(value), op.builder().getF32Type());
  return nn::DequantizeOp::create(op.builder(), op.location(), type, value);
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
  const int64_t filters = shapeOf(features)[0], rank = options->rank();
  if (rank < 1 || filters % rank != 0)
    return op.malformed("has the rank " + Twine(rank) + " of " + Twine(filters) + " filters");
  RankedTensorType result = op.resultType(0, {shapeOf(input)[0], filters / rank});
  if (!result)
    return failure();
  // Only the feature weights of a hybrid cell are multiplied in integers.
  if (!isQuantized(input) && isQuantized(time))
    time = dequantized(op, time);
  auto cell = nn::SvdfOp::create(op.builder(), op.location(), state.getType(), result, input, features, time, bias,
                                 state, rank, *activation, options->asymmetric_quantize_inputs());
  return failed(op.finish(cell.getOutput())) ? failure() : setStates(op, kState, cell.getStateOut());
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
  SmallVector<int64_t> shape(shapeOf(input));
  if (shape.size() != rank)
    return op.malformed("has an input of rank " + Twine(shape.size()) + ", must be " + Twine(rank));
  shape.back() = shapeOf(state)[1];
  RankedTensorType result = op.resultType(0, shape);
  if (!result)
    return failure();
  auto cell = nn::RnnCellOp::create(op.builder(), op.location(), state.getType(), result, input, weights, recurrent,
                                    bias, state, *activation, isBatchMajor, asymmetric);
  return failed(op.finish(cell.getOutput())) ? failure() : setStates(op, kState, cell.getStateOut());
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
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, 39, kLstmAuxEnd, convertBidirectionalLstm, 1, 2},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, convertBidirectionalRnn, 1, 2},
    {BuiltinOperator::LSTM, kBasicLstmInputs, 24, convertLstm, 1, kBasicLstmOutputs},
    {BuiltinOperator::RNN, 5, 5, convertRnn},
    {BuiltinOperator::SVDF, 5, 5, convertSvdf},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, convertSequenceRnn},
};

} // namespace

ArrayRef<TfliteConverter> tfliteCellConverters() { return kConverters; }

} // namespace avocet::compiler
