//===- TfliteBasicLstm.cpp - LSTM with one matrix for all gates -*- C++ -*-===//
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

#include "TfliteCells.h"

#include "Import/Common/Moves.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

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
  return {cell.getOutput(), cell.getCellStateOut()};
}

States createQuantized(TfliteOperator &op, ArrayRef<Value> values, const Weights &weights) {
  auto cell = nn::Quantized16bitLstmOp::create(op.builder(), op.location(), values[kCellState].getType(),
                                               values[kOutputState].getType(), values[kInput], values[kOutputState],
                                               values[kCellState], weights.input, weights.recurrent, weights.biases);
  return {cell.getOutput(), cell.getCellStateOut()};
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

} // namespace

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

} // namespace avocet::compiler
