//===- OnnxRecurrent.cpp - Recurrent layers ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Axes.h"
#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"
#include "Import/Common/RecurrentLayer.h"
#include "OnnxActivations.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The functions of all directions. Functions consume the parameters of the attributes in their order.
FailureOr<SmallVector<NamedFunction>> functionsOf(OnnxOperation &op, ArrayRef<StringRef> usual, size_t directions) {
  SmallVector<StringRef> names = op.texts("activations");
  const SmallVector<float> alphas = op.numbers("activation_alpha"), betas = op.numbers("activation_beta");
  while (names.size() < usual.size() * directions && (names.empty() || names.size() % usual.size() == 0))
    names.append(usual.begin(), usual.end());
  if (names.size() < usual.size() * directions)
    return op.malformed("has " + Twine(names.size()) + " activations, must have " + Twine(usual.size() * directions));
  SmallVector<NamedFunction> functions;
  size_t alpha = 0, beta = 0;
  // The default that ONNX gives an RNN of one direction has two.
  for (StringRef name : ArrayRef(names).take_front(usual.size() * directions)) {
    FailureOr<NamedFunction> function = onnxActivation(op, name);
    if (failed(function))
      return failure();
    if (function->parameters > 0 && alpha < alphas.size())
      function->alpha = alphas[alpha++];
    if (function->parameters > 1 && beta < betas.size())
      function->beta = betas[beta++];
    functions.push_back(*function);
  }
  return functions;
}

/// The cell of the dialect with these functions.
std::optional<nn::CellActivation> cellActivation(CellKind kind, ArrayRef<NamedFunction> functions) {
  if (kind == CellKind::Simple)
    return nn::symbolizeCellActivation(functions[0].name.lower());
  const bool isUsual = functions[0].name == "Sigmoid" && functions[1].name == "Tanh" && functions.back().name == "Tanh";
  return isUsual ? std::optional(nn::CellActivation::Tanh) : std::nullopt;
}

/// Operands of all directions, along their first axis; null if they are omitted.
struct Operands {
  Value weights, recurrent, biases, output, cell, peepholes;
};

FailureOr<Operands> readOperands(OnnxOperation &op, const RecurrentLayer &layer, int64_t directions,
                                 bool isBatchMajor) {
  bool complete = true;
  const auto read = [&](uint32_t position, StringRef operand, ArrayRef<int64_t> shape) {
    Value value = ofShape(op, op.optionalParameter(position, operand), operand, shape);
    complete &= value || !op.hasInput(position);
    return value;
  };
  const int64_t rows = layer.gates() * layer.hidden;
  SmallVector<int64_t> state{directions, layer.batch(), layer.hidden};
  if (isBatchMajor)
    std::swap(state[0], state[1]);
  Operands operands{read(1, "W", {directions, rows, shapeOf(layer.x)[2]}),
                    read(2, "R", {directions, rows, layer.hidden}),
                    read(3, "B", {directions, 2 * rows}),
                    read(5, "initial_h", state),
                    read(6, "initial_c", state),
                    read(7, "P", {directions, 3 * layer.hidden})};
  if (isBatchMajor)
    for (Value *each : {&operands.output, &operands.cell})
      *each = transpose(op, *each, {1, 0, 2});
  if (!complete)
    return failure();
  return operands;
}

LogicalResult readLengths(OnnxOperation &op, RecurrentLayer &layer) {
  if (!op.hasInput(4))
    return success();
  FailureOr<SmallVector<int64_t>> lengths = op.integers(4, "sequence_lens", static_cast<size_t>(layer.batch()));
  if (failed(lengths))
    return failure();
  if (llvm::any_of(*lengths, [&](int64_t length) { return length < 0 || length > layer.steps(); }))
    return op.malformed("has a sequence that is longer than its input");
  layer.lengths = *lengths;
  return success();
}

RecurrentDirection directionOf(OnnxOperation &op, const RecurrentLayer &layer, const Operands &operands, int64_t index,
                               ArrayRef<NamedFunction> functions) {
  const auto own = [&](Value value) { return foldedIfConstant(op, elementAt(op, value, 0, index)); };
  const auto state = [&](Value value) {
    return value ? own(value) : filled(op, {layer.batch(), layer.hidden}, elementOf(layer.x));
  };
  const int64_t half = layer.gates() * layer.hidden;
  Value biases = own(operands.biases);
  RecurrentDirection direction{index == 1 || op.text("direction") == "reverse", own(operands.weights),
                               own(operands.recurrent)};
  direction.bias = foldedIfConstant(op, partOf(op, biases, 0, 0, half));
  direction.recurrentBias = foldedIfConstant(op, partOf(op, biases, 0, half, half));
  direction.peepholes = own(operands.peepholes);
  direction.output = state(operands.output);
  direction.cell = layer.kind == CellKind::Lstm ? state(operands.cell) : Value();
  direction.functions.assign(functions.begin(), functions.end());
  direction.activation = cellActivation(layer.kind, functions);
  return direction;
}

LogicalResult finishDirections(OnnxOperation &op, ArrayRef<RecurrentResults> all, bool isBatchMajor) {
  const auto joined = [&](Value RecurrentResults::*member, size_t axis) {
    return stacked(op, llvm::map_to_vector(all, [&](const RecurrentResults &each) { return each.*member; }), axis);
  };
  Value y = joined(&RecurrentResults::sequence, 1);
  if (failed(op.finish(isBatchMajor ? transpose(op, y, {2, 0, 1, 3}) : y)) ||
      failed(op.finish(joined(&RecurrentResults::output, isBatchMajor ? 1 : 0), 1)))
    return failure();
  return all.front().cell ? op.finish(joined(&RecurrentResults::cell, isBatchMajor ? 1 : 0), 2) : success();
}

template <CellKind kind> LogicalResult convertRecurrent(OnnxOperation &op) {
  constexpr StringRef kUsual[] = {"Sigmoid", "Tanh", "Tanh"};
  const ArrayRef<StringRef> usual = kind == CellKind::Simple
                                        ? ArrayRef(kUsual).slice(1, 1)
                                        : ArrayRef(kUsual).take_front(kind == CellKind::Gru ? 2 : 3);
  Value x = ofRank(op, op.value(0, "X"), "an input", 3), recurrent = ofRank(op, op.parameter(2, "R"), "R", 3);
  const bool isBatchMajor = op.flag("layout");
  RecurrentLayer layer{kind, isBatchMajor ? transpose(op, x, {1, 0, 2}) : x};
  const StringRef direction = op.text("direction", "forward");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (direction != "forward" && direction != "reverse" && directions == 1)
    return op.malformed("has the direction " + direction);
  if (!layer.x || !recurrent)
    return failure();
  layer.hidden = shapeOf(recurrent)[2];
  layer.clip = op.number("clip", 0);
  layer.coupled = kind == CellKind::Lstm && op.flag("input_forget");
  layer.linearBeforeReset = kind == CellKind::Gru && op.flag("linear_before_reset");
  if (op.integer("hidden_size", layer.hidden) != layer.hidden)
    return op.malformed("has the hidden_size " + Twine(op.integer("hidden_size", 0)) + ", R has " +
                        Twine(layer.hidden));
  FailureOr<SmallVector<NamedFunction>> functions = functionsOf(op, usual, directions);
  if (failed(functions) || failed(readLengths(op, layer)))
    return failure();
  FailureOr<Operands> operands = readOperands(op, layer, directions, isBatchMajor);
  if (failed(operands))
    return failure();
  SmallVector<RecurrentResults> all;
  for (int64_t index = 0; index < directions; ++index) {
    const auto own = ArrayRef(*functions).slice(index * usual.size(), usual.size());
    all.push_back(runLayer(op, layer, directionOf(op, layer, *operands, index, own)));
    if (!all.back().sequence)
      return failure();
  }
  return finishDirections(op, all, isBatchMajor);
}

constexpr OnnxConverter kConverters[] = {
    {"GRU", 7, 3, 6, convertRecurrent<CellKind::Gru>, 1, 2},
    {"LSTM", 7, 3, 8, convertRecurrent<CellKind::Lstm>, 1, 3},
    {"RNN", 7, 3, 6, convertRecurrent<CellKind::Simple>, 1, 2},
};

} // namespace

ArrayRef<OnnxConverter> onnxRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
