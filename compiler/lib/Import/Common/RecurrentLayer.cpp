//===- RecurrentLayer.cpp - Layers of recurrent cells -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentLayer.h"

#include "Cells.h"
#include "Constants.h"
#include "FoldedConstants.h"
#include "MatrixProduct.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Most steps of an unrolled layer, each of which makes tens of operations.
constexpr int64_t kMostSteps = 1024;

/// Rows of a gate, or of several.
Value gateRows(ImportedOperation &op, const RecurrentLayer &layer, Value all, int64_t first, int64_t count = 1) {
  return foldedIfConstant(op, partOf(op, all, 0, first * layer.hidden, count * layer.hidden));
}

class Unrolled {
public:
  Unrolled(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &direction)
      : op_(op), layer_(layer), own_(direction), f_(op, elementOf(layer.x)) {}

  RecurrentResults run() {
    if (layer_.steps() > kMostSteps) {
      op_.refuse("X", "steps of a layer that is unrolled", Twine(layer_.steps()), Twine(kMostSteps));
      return {};
    }
    // Only the hidden gate of a GRU reads its recurrent bias apart.
    Value bias = own_.bias;
    if (bias && layer_.kind != CellKind::Gru)
      bias = foldedIfConstant(op_, f_.add(bias, own_.recurrentBias));
    Value inputs = matrixProduct(op_, layer_.x, own_.weights, false, /*transposeRhs=*/true);
    inputs = bias ? f_.add(inputs, bias) : inputs;
    RecurrentResults state{{}, own_.output, own_.cell};
    SmallVector<Value> outputs(layer_.steps());
    for (int64_t i = 0; inputs && i < layer_.steps(); ++i) {
      const int64_t step = own_.isReverse ? layer_.steps() - 1 - i : i;
      const RecurrentResults previous = state;
      Value input = foldedIfConstant(op_, elementAt(op_, inputs, 0, step));
      state = layer_.kind == CellKind::Gru    ? gru(input, state)
              : layer_.kind == CellKind::Lstm ? lstm(input, state)
                                              : simple(input, state);
      if (!state.output)
        return {};
      outputs[step] = state.output;
      keepEnded(step, previous, state, outputs[step]);
    }
    state.sequence = stacked(op_, outputs, 0);
    return state;
  }

private:
  /// Sequences that have ended keep their state, and their outputs are 0.
  void keepEnded(int64_t step, const RecurrentResults &previous, RecurrentResults &state, Value &output) {
    if (llvm::all_of(layer_.lengths, [&](int64_t length) { return step < length; }))
      return;
    const auto runs = llvm::map_to_vector(layer_.lengths, [&](int64_t length) { return step < length ? 1.0f : 0.0f; });
    Value mask = float32Constant(op_, {layer_.batch(), 1}, runs);
    Value isRunning = Formula(op_, op_.builder().getF32Type()).compare(mask, nn::CompareKind::Greater, 0);
    output = f_.select(isRunning, state.output, f_.constant(0));
    state.output = f_.select(isRunning, state.output, previous.output);
    if (state.cell)
      state.cell = f_.select(isRunning, state.cell, previous.cell);
  }

  Value activated(size_t function, Value x) {
    return own_.functions[function](f_, layer_.clip > 0 ? f_.min(f_.max(x, -layer_.clip), layer_.clip) : x);
  }
  /// Rows of gates, the same value in all steps.
  Value ofGates(Value all, int64_t first, int64_t count = 1) {
    Value &part = parts_[{all, first}];
    return part ? part : part = gateRows(op_, layer_, all, first, count);
  }
  /// Columns of one gate of [batch, gates * hidden].
  Value gate(Value values, int64_t index) { return partOf(op_, values, 1, index * layer_.hidden, layer_.hidden); }
  Value recurrentSums(Value state, int64_t firstGate, int64_t gates) {
    return matrixProduct(op_, state, ofGates(own_.recurrent, firstGate, gates), false, /*transposeRhs=*/true);
  }
  Value withBias(Value x, int64_t gate) {
    return own_.recurrentBias ? f_.add(x, ofGates(own_.recurrentBias, gate)) : x;
  }

  RecurrentResults simple(Value input, const RecurrentResults &state) {
    return {{}, activated(0, f_.add(input, recurrentSums(state.output, 0, 1))), {}};
  }

  RecurrentResults lstm(Value input, const RecurrentResults &state) {
    enum { kInput, kOutput, kForget, kCell };
    Value sums = f_.add(input, recurrentSums(state.output, 0, 4));
    const auto sum = [&](int64_t index, Value cell) {
      Value own = gate(sums, index);
      return own_.peepholes && index != kCell ? f_.add(own, f_.mul(ofGates(own_.peepholes, index), cell)) : own;
    };
    Value in = activated(0, sum(kInput, state.cell));
    Value forget = layer_.coupled ? f_.sub(1, in) : activated(0, sum(kForget, state.cell));
    Value cell = f_.add(f_.mul(forget, state.cell), f_.mul(in, activated(1, sum(kCell, {}))));
    return {{}, f_.mul(activated(0, sum(kOutput, cell)), activated(2, cell)), cell};
  }

  RecurrentResults gru(Value input, const RecurrentResults &state) {
    enum { kUpdate, kReset, kHidden };
    Value sums = recurrentSums(state.output, 0, 2);
    const auto sum = [&](int64_t index) { return withBias(f_.add(gate(input, index), gate(sums, index)), index); };
    Value update = activated(0, sum(kUpdate)), reset = activated(0, sum(kReset));
    Value hidden = layer_.linearBeforeReset ? f_.mul(reset, withBias(recurrentSums(state.output, kHidden, 1), kHidden))
                                            : withBias(recurrentSums(f_.mul(reset, state.output), kHidden, 1), kHidden);
    Value candidate = activated(1, f_.add(gate(input, kHidden), hidden));
    return {{}, f_.add(f_.mul(f_.sub(1, update), candidate), f_.mul(update, state.output)), {}};
  }

  ImportedOperation &op_;
  const RecurrentLayer &layer_;
  const RecurrentDirection &own_;
  Formula f_;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> parts_;
};

/// Bias of a cell, of each gate in this order.
SmallVector<Value> biasesOf(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &own,
                            ArrayRef<int64_t> gates) {
  Formula f(op, elementOf(layer.x));
  Value all = own.bias ? foldedIfConstant(op, f.add(own.bias, own.recurrentBias)) : Value();
  return llvm::map_to_vector(gates, [&](int64_t index) {
    return all ? gateRows(op, layer, all, index) : filled(op, {layer.hidden}, elementOf(layer.x));
  });
}

/// The sequence is in the order of the direction.
RecurrentResults simpleCell(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &own,
                            Value x) {
  const auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type) { return boundedType(op, shape, elementOf(x)); };
  auto cell = createWith<nn::RnnCellOp>(op, typeOf, x, own.weights, own.recurrent, biasesOf(op, layer, own, {0})[0],
                                        own.output, *own.activation, /*batchMajor=*/false, /*asymmetric=*/false);
  return cell ? RecurrentResults{cell.getOutput(), cell.getStateOut(), {}} : RecurrentResults{};
}

RecurrentResults lstmCell(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &own, Value x) {
  constexpr int64_t kGates[] = {0, 2, 3, 1}; // input, forget, cell and output gate
  const auto rowsOf = [&](Value all, ArrayRef<int64_t> gates) {
    return llvm::map_to_vector<4>(gates, [&](int64_t index) { return gateRows(op, layer, all, index); });
  };
  LstmOperands operands;
  operands.input = x;
  operands.outputState = own.output;
  operands.cellState = own.cell;
  operands.inputWeights = rowsOf(own.weights, kGates);
  operands.recurrentWeights = rowsOf(own.recurrent, kGates);
  operands.biases = biasesOf(op, layer, own, kGates);
  if (own.peepholes)
    operands.peepholes = rowsOf(own.peepholes, {0, 2, 1});
  nn::LstmCellOp cell = createLstm(op, operands, {});
  return cell ? RecurrentResults{cell.getOutput(), cell.getOutputStateOut(), cell.getCellStateOut()}
              : RecurrentResults{};
}

} // namespace

RecurrentResults runLayer(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &direction) {
  const bool isCell = direction.activation && layer.clip <= 0 && !layer.coupled &&
                      llvm::all_of(layer.lengths, [&](int64_t length) { return length == layer.steps(); });
  if (!isCell || layer.kind == CellKind::Gru)
    return Unrolled(op, layer, direction).run();
  Value x = direction.isReverse ? reverse(op, layer.x, {0}) : layer.x;
  RecurrentResults results =
      x ? (layer.kind == CellKind::Lstm ? lstmCell : simpleCell)(op, layer, direction, x) : RecurrentResults{};
  if (direction.isReverse)
    results.sequence = reverse(op, results.sequence, {0});
  return results;
}

} // namespace avocet::compiler
