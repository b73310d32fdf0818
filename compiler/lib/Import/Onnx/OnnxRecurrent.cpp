//===- OnnxRecurrent.cpp - Recurrent layers ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers that are exactly cells of the dialect become these. Others are unrolled: one product for the inputs of all
// steps, and formulas for each step.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Cells.h"
#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"
#include "OnnxActivations.h"
#include "OnnxMatrix.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Most steps of an unrolled layer, each of which makes tens of operations.
constexpr int64_t kMostSteps = 1024;

/// What all directions share. x is [steps, batch, features].
struct Layer {
  Value x;
  int64_t hidden = 0, gates = 0;
  SmallVector<int64_t> lengths = {}; ///< of the sequences; empty: all steps of x
  float clip = 0;                    ///< 0: none
  bool coupled = false, linearBeforeReset = false;

  int64_t steps() const { return shapeOf(x)[0]; }
  int64_t batch() const { return shapeOf(x)[1]; }
};

struct Direction {
  bool isReverse;
  Value weights = {}, recurrent = {};  ///< [gates * hidden, features], [gates * hidden, hidden]
  Value bias = {}, recurrentBias = {}; ///< [gates * hidden]; may be null
  Value peepholes = {};                ///< [3 * hidden] of input, output and forget gate; may be null
  Value output = {}, cell = {};        ///< states before the first step [batch, hidden]
  SmallVector<OnnxActivation> functions = {};
};

struct Results {
  Value sequence, output, cell; ///< [steps, batch, hidden], [batch, hidden]
};

Value folded(OnnxOperation &op, Value value) {
  nn::ConstantOp constant = value ? foldedConstant(op, value) : nn::ConstantOp();
  return constant ? Value(constant) : value;
}

/// `count` rows of the first axis.
Value rows(OnnxOperation &op, Value value, int64_t first, int64_t count) {
  if (!value)
    return {};
  SmallVector<int64_t> begin(shapeOf(value).size(), 0), extents(shapeOf(value));
  begin[0] = first;
  extents[0] = count;
  return folded(op, extents == shapeOf(value) ? value : slice(op, value, begin, extents));
}

/// An element of the first axis.
Value element(OnnxOperation &op, Value value, int64_t index) {
  Value part = rows(op, value, index, 1);
  return part ? folded(op, reshape(op, part, shapeOf(part).drop_front())) : part;
}

/// Columns of one gate of [batch, gates * hidden].
Value gate(OnnxOperation &op, const Layer &layer, Value values, int64_t index) {
  if (!values || shapeOf(values)[1] == layer.hidden)
    return values;
  return slice(op, values, {0, index * layer.hidden}, {shapeOf(values)[0], layer.hidden});
}

class Unrolled {
public:
  Unrolled(OnnxOperation &op, const Layer &layer, const Direction &direction)
      : op_(op), layer_(layer), own_(direction), f_(op, elementOf(layer.x)) {}

  Results run() {
    const bool isGru = layer_.gates == 3;
    // Only the hidden gate of a GRU reads its recurrent bias apart.
    Value bias = isGru || !own_.bias ? own_.bias : folded(op_, f_.add(own_.bias, own_.recurrentBias));
    Value inputs = matrixProduct(op_, layer_.x, own_.weights, false, true);
    inputs = bias ? f_.add(inputs, bias) : inputs;
    Results state{{}, own_.output, own_.cell};
    SmallVector<Value> outputs(layer_.steps());
    for (int64_t i = 0; inputs && i < layer_.steps(); ++i) {
      const int64_t step = own_.isReverse ? layer_.steps() - 1 - i : i;
      const Results previous = state;
      Value input = element(op_, inputs, step);
      state = isGru ? gru(input, state) : layer_.gates == 4 ? lstm(input, state) : rnn(input, state);
      if (!state.output)
        return {};
      outputs[step] = state.output;
      keepEnded(step, previous, state, outputs[step]);
    }
    for (Value &output : outputs)
      output = output ? reshape(op_, output, {1, layer_.batch(), layer_.hidden}) : output;
    if (llvm::is_contained(outputs, Value()))
      return {};
    state.sequence = outputs.size() == 1 ? outputs.front() : concatenate(op_, outputs, 0);
    return state;
  }

private:
  /// Sequences that have ended keep their state, and their outputs are 0.
  void keepEnded(int64_t step, const Results &previous, Results &state, Value &output) {
    if (llvm::all_of(layer_.lengths, [&](int64_t length) { return step < length; }))
      return;
    SmallVector<float> runs =
        llvm::map_to_vector(layer_.lengths, [&](int64_t length) { return step < length ? 1.0f : 0.0f; });
    const auto type = RankedTensorType::get({layer_.batch(), 1}, op_.builder().getF32Type());
    Value mask =
        nn::ConstantOp::create(op_.builder(), op_.location(), type, DenseElementsAttr::get(type, ArrayRef(runs)));
    Value isRunning = Formula(op_, op_.builder().getF32Type()).compare(mask, nn::CompareKind::Greater, 0);
    output = f_.select(isRunning, state.output, f_.constant(0));
    state.output = f_.select(isRunning, state.output, previous.output);
    if (state.cell)
      state.cell = f_.select(isRunning, state.cell, previous.cell);
  }

  Value clipped(Value x) { return layer_.clip > 0 ? f_.min(f_.max(x, -layer_.clip), layer_.clip) : x; }
  Value activated(size_t function, Value x) { return own_.functions[function](f_, clipped(x)); }
  /// Rows of gates, the same value in all steps.
  Value ofGates(Value all, int64_t first, int64_t count = 1) {
    Value &part = parts_[{all, first}];
    return part ? part : part = rows(op_, all, first * layer_.hidden, count * layer_.hidden);
  }
  Value recurrentSums(Value state, int64_t firstGate, int64_t gates) {
    return matrixProduct(op_, state, ofGates(own_.recurrent, firstGate, gates), false, true);
  }
  Value withBias(Value x, int64_t gate) {
    return own_.recurrentBias ? f_.add(x, ofGates(own_.recurrentBias, gate)) : x;
  }

  Results rnn(Value input, const Results &state) {
    return {{}, activated(0, f_.add(input, recurrentSums(state.output, 0, 1))), {}};
  }

  Results lstm(Value input, const Results &state) {
    enum { kInput, kOutput, kForget, kCell };
    Value sums = f_.add(input, recurrentSums(state.output, 0, 4));
    const auto sum = [&](int64_t index, Value cell) {
      Value own = gate(op_, layer_, sums, index);
      return own_.peepholes && index != kCell ? f_.add(own, f_.mul(ofGates(own_.peepholes, index), cell)) : own;
    };
    Value in = activated(0, sum(kInput, state.cell));
    Value forget = layer_.coupled ? f_.sub(1, in) : activated(0, sum(kForget, state.cell));
    Value cell = f_.add(f_.mul(forget, state.cell), f_.mul(in, activated(1, sum(kCell, {}))));
    return {{}, f_.mul(activated(0, sum(kOutput, cell)), activated(2, cell)), cell};
  }

  Results gru(Value input, const Results &state) {
    enum { kUpdate, kReset, kHidden };
    Value sums = recurrentSums(state.output, 0, 2);
    const auto sum = [&](int64_t index) {
      return withBias(f_.add(gate(op_, layer_, input, index), gate(op_, layer_, sums, index)), index);
    };
    Value update = activated(0, sum(kUpdate)), reset = activated(0, sum(kReset));
    Value hidden = layer_.linearBeforeReset ? f_.mul(reset, withBias(recurrentSums(state.output, kHidden, 1), kHidden))
                                            : withBias(recurrentSums(f_.mul(reset, state.output), kHidden, 1), kHidden);
    Value candidate = activated(1, f_.add(gate(op_, layer_, input, kHidden), hidden));
    return {{}, f_.add(f_.mul(f_.sub(1, update), candidate), f_.mul(update, state.output)), {}};
  }

  OnnxOperation &op_;
  const Layer &layer_;
  const Direction &own_;
  Formula f_;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> parts_;
};

/// Bias of a cell, of each gate in this order.
SmallVector<Value> biasesOf(OnnxOperation &op, const Layer &layer, const Direction &own, ArrayRef<int64_t> gates) {
  Formula f(op, elementOf(layer.x));
  const auto zeros = RankedTensorType::get({layer.hidden}, elementOf(layer.x));
  Value all = own.bias ? folded(op, f.add(own.bias, own.recurrentBias)) : Value();
  return llvm::map_to_vector(gates, [&](int64_t index) -> Value {
    return all ? rows(op, all, index * layer.hidden, layer.hidden)
               : filled(op, zeros, op.builder().getFloatAttr(zeros.getElementType(), 0));
  });
}

/// Runs the layer as a cell of the dialect over the sequence in the order of the direction.
Results runCell(OnnxOperation &op, const Layer &layer, const Direction &own) {
  const Type element = elementOf(layer.x);
  const auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type) { return boundedType(op, shape, element); };
  Value x = own.isReverse ? reverse(op, layer.x, {0}) : layer.x;
  Results results;
  if (layer.gates == 1) {
    const SmallVector<Value> biases = biasesOf(op, layer, own, {0});
    const auto function = *nn::symbolizeCellActivation(own.functions[0].name.lower());
    nn::RnnCellOp cell = createWith<nn::RnnCellOp>(op, typeOf, x, own.weights, own.recurrent, biases[0], own.output,
                                                   function, /*batchMajor=*/false, /*asymmetric=*/false);
    if (cell)
      results = {cell.getOutput(), cell.getStateOut(), {}};
  } else {
    LstmOperands operands{x, own.output, own.cell, {}, {}, {}, biasesOf(op, layer, own, {0, 2, 3, 1}), {}, {}};
    for (int64_t index : {0, 2, 3, 1}) { // of input, output, forget and cell gate
      operands.inputWeights.push_back(rows(op, own.weights, index * layer.hidden, layer.hidden));
      operands.recurrentWeights.push_back(rows(op, own.recurrent, index * layer.hidden, layer.hidden));
    }
    if (own.peepholes)
      for (int64_t index : {0, 2, 1})
        operands.peepholes.push_back(rows(op, own.peepholes, index * layer.hidden, layer.hidden));
    if (nn::LstmCellOp cell = createLstm(op, operands, {}))
      results = {cell.getOutput(), cell.getOutputStateOut(), cell.getCellStateOut()};
  }
  if (own.isReverse && results.sequence)
    results.sequence = reverse(op, results.sequence, {0});
  return results;
}

bool isCell(const Layer &layer, const Direction &own) {
  if (layer.gates == 3 || layer.clip > 0 || layer.coupled ||
      llvm::any_of(layer.lengths, [&](int64_t length) { return length != layer.steps(); }))
    return false;
  const auto names = llvm::map_to_vector<3>(own.functions, [](const OnnxActivation &each) { return each.name; });
  return layer.gates == 1 ? llvm::is_contained(ArrayRef<StringRef>{"Relu", "Tanh", "Sigmoid"}, names[0])
                          : ArrayRef<StringRef>(names) == ArrayRef<StringRef>{"Sigmoid", "Tanh", "Tanh"};
}

/// The functions of all directions. Functions consume the parameters of the attributes in their order.
FailureOr<SmallVector<OnnxActivation>> functionsOf(OnnxOperation &op, ArrayRef<StringRef> usual, size_t directions) {
  SmallVector<StringRef> names = op.texts("activations");
  const SmallVector<float> alphas = op.numbers("activation_alpha"), betas = op.numbers("activation_beta");
  while (names.size() < usual.size() * directions && (names.empty() || names.size() % usual.size() == 0))
    names.append(usual.begin(), usual.end());
  if (names.size() != usual.size() * directions)
    return op.malformed("has " + Twine(names.size()) + " activations, must have " + Twine(usual.size() * directions));
  SmallVector<OnnxActivation> functions;
  size_t alpha = 0, beta = 0;
  for (StringRef name : names) {
    FailureOr<OnnxActivation> function = onnxActivation(op, name);
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

/// A weight with an element for each direction and the given other extents; null: omitted, or after a report.
LogicalResult readWeights(OnnxOperation &op, uint32_t position, StringRef operand, ArrayRef<int64_t> shape,
                          Value &value) {
  if (!op.hasInput(position))
    return success();
  value = op.parameter(position, operand);
  if (!value)
    return failure();
  if (shapeOf(value) != shape)
    return op.malformed("has " + operand + " " + nn::textOf(shapeOf(value)) + ", must be " + nn::textOf(shape));
  return success();
}

struct Operands {
  Value weights, recurrent, biases, output, cell, peepholes;
};

LogicalResult readOperands(OnnxOperation &op, const Layer &layer, int64_t directions, bool isBatchMajor,
                           Operands &read) {
  const int64_t rowCount = layer.gates * layer.hidden, features = shapeOf(layer.x)[2];
  SmallVector<int64_t> state{directions, layer.batch(), layer.hidden};
  if (isBatchMajor)
    std::swap(state[0], state[1]);
  if (failed(readWeights(op, 1, "W", {directions, rowCount, features}, read.weights)) ||
      failed(readWeights(op, 2, "R", {directions, rowCount, layer.hidden}, read.recurrent)) ||
      failed(readWeights(op, 3, "B", {directions, 2 * rowCount}, read.biases)) ||
      failed(readWeights(op, 5, "initial_h", state, read.output)) ||
      failed(readWeights(op, 6, "initial_c", state, read.cell)) ||
      failed(readWeights(op, 7, "P", {directions, 3 * layer.hidden}, read.peepholes)))
    return failure();
  for (Value *each : {&read.output, &read.cell})
    if (isBatchMajor && *each)
      *each = transpose(op, *each, {1, 0, 2});
  return success();
}

/// Joins the directions' values as [.., directions, .., hidden], with the axis of directions at `axis`.
Value joined(OnnxOperation &op, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> expanded;
  for (Value part : parts) {
    SmallVector<int64_t> shape(shapeOf(part));
    shape.insert(shape.begin() + axis, 1);
    expanded.push_back(reshape(op, part, shape));
  }
  return expanded.size() == 1 ? expanded.front() : concatenate(op, expanded, axis);
}

LogicalResult finishDirections(OnnxOperation &op, ArrayRef<Results> all, bool isBatchMajor) {
  const auto values = [&](Value Results::*member) {
    return llvm::map_to_vector(all, [&](const Results &each) { return each.*member; });
  };
  Value y = joined(op, values(&Results::sequence), 1);
  if (isBatchMajor && y)
    y = transpose(op, y, {2, 0, 1, 3});
  if (failed(op.finish(y)) || failed(op.finish(joined(op, values(&Results::output), isBatchMajor ? 1 : 0), 1)))
    return failure();
  return all.front().cell ? op.finish(joined(op, values(&Results::cell), isBatchMajor ? 1 : 0), 2) : success();
}

LogicalResult readLengths(OnnxOperation &op, Layer &layer) {
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

template <int64_t gates> LogicalResult convertRecurrent(OnnxOperation &op) {
  constexpr StringRef kUsual[] = {"Sigmoid", "Tanh", "Tanh"};
  const ArrayRef<StringRef> usual =
      gates == 1 ? ArrayRef(kUsual).slice(1, 1) : ArrayRef(kUsual).take_front(gates == 3 ? 2 : 3);
  Value x = ofRank(op, op.value(0, "X"), "an input", 3);
  if (!x)
    return failure();
  const bool isBatchMajor = op.flag("layout");
  Layer layer{isBatchMajor ? transpose(op, x, {1, 0, 2}) : x};
  const StringRef direction = op.text("direction", "forward");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (direction != "forward" && direction != "reverse" && directions == 1)
    return op.malformed("has the direction " + direction);
  Value recurrent = op.parameter(2, "R");
  if (!layer.x || !ofRank(op, recurrent, "R", 3))
    return failure();
  layer.hidden = shapeOf(recurrent)[2];
  layer.gates = gates;
  layer.clip = op.number("clip", 0);
  layer.coupled = gates == 4 && op.flag("input_forget");
  layer.linearBeforeReset = gates == 3 && op.flag("linear_before_reset");
  if (op.integer("hidden_size", layer.hidden) != layer.hidden)
    return op.malformed("has the hidden_size " + Twine(op.integer("hidden_size", 0)) + ", R has " +
                        Twine(layer.hidden));
  FailureOr<SmallVector<OnnxActivation>> functions = functionsOf(op, usual, directions);
  Operands operands;
  if (failed(functions) || failed(readLengths(op, layer)) ||
      failed(readOperands(op, layer, directions, isBatchMajor, operands)))
    return failure();
  SmallVector<Results> all;
  for (int64_t index = 0; index < directions; ++index) {
    const auto own = [&](Value value) { return value ? element(op, value, index) : value; };
    const auto type = RankedTensorType::get({layer.batch(), layer.hidden}, elementOf(x));
    const auto state = [&](Value value) {
      return value ? own(value) : filled(op, type, op.builder().getFloatAttr(type.getElementType(), 0));
    };
    Value biases = own(operands.biases);
    const int64_t half = gates * layer.hidden;
    Direction each{index == 1 || direction == "reverse", own(operands.weights), own(operands.recurrent)};
    each.bias = rows(op, biases, 0, half);
    each.recurrentBias = rows(op, biases, half, half);
    each.peepholes = own(operands.peepholes);
    each.output = state(operands.output);
    each.cell = gates == 4 ? state(operands.cell) : Value();
    each.functions.assign(functions->begin() + index * usual.size(), functions->begin() + (index + 1) * usual.size());
    const bool asCell = isCell(layer, each);
    if (!asCell && layer.steps() > kMostSteps)
      return op.refuse("X", "steps of a layer that is unrolled", Twine(layer.steps()), Twine(kMostSteps));
    all.push_back(asCell ? runCell(op, layer, each) : Unrolled(op, layer, each).run());
    if (!all.back().sequence)
      return failure();
  }
  return finishDirections(op, all, isBatchMajor);
}

constexpr OnnxConverter kConverters[] = {
    {"GRU", 7, 3, 6, convertRecurrent<3>, 1, 2},
    {"LSTM", 7, 3, 8, convertRecurrent<4>, 1, 3},
    {"RNN", 7, 3, 6, convertRecurrent<1>, 1, 2},
};

} // namespace

ArrayRef<OnnxConverter> onnxRecurrentConverters() { return kConverters; }

} // namespace avocet::compiler
