//===- Bidirectional.cpp - Recurrent layers in both directions --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bidirectional.h"

#include "Moves.h"

#include <optional>

using namespace mlir;

namespace avocet::compiler {
namespace {

int64_t timeAxis(const CellForm &form) { return form.batchMajor ? 1 : 0; }

/// The sequence from its last step to its first.
Value reversed(ImportedOperation &op, Value sequence, const CellForm &form) {
  return reverse(op, sequence, timeAxis(form));
}

/// The inputs of the two directions.
struct Inputs {
  Value forward, backward;
};

FailureOr<Inputs> readInputs(ImportedOperation &op, uint32_t auxInput, bool hasAuxWeights, const CellForm &form) {
  Value input = ofRank(op, op.value(0, "input"), "a sequence", 3);
  const bool hasAux = op.hasInput(auxInput);
  Value aux = ofRank(op, hasAux ? op.value(auxInput, "auxiliary input") : Value(), "a sequence", 3);
  if (!input || (hasAux && !aux))
    return failure();
  if (aux && shapeOf(aux).drop_back() != shapeOf(input).drop_back())
    return op.malformed("has an auxiliary input with another number of steps or another batch than the input");
  if (hasAuxWeights && !aux)
    return op.malformed("has auxiliary weights without an auxiliary input");
  Inputs inputs{input, aux ? aux : input};
  if (hasAuxWeights) // the auxiliary input adds features to both directions
    inputs.forward = inputs.backward = concatenate(op, {input, aux}, 2);
  inputs.backward = reversed(op, inputs.backward, form);
  if (!inputs.forward || !inputs.backward)
    return failure();
  return inputs;
}

/// Appends the columns of auxiliary weights.
LogicalResult widen(ImportedOperation &op, Value &weights, uint32_t position) {
  Value aux = op.value(position, "auxiliary weights");
  if (!aux)
    return failure();
  if (shapeOf(aux).size() != 2 || shapeOf(weights).size() != 2 || shapeOf(aux)[0] != shapeOf(weights)[0])
    return op.malformed("has auxiliary weights with another number of rows than the weights");
  // Both inputs of a hybrid cell would be rounded with one scale.
  if (isQuantized(weights) || isQuantized(aux))
    return op.refuse("auxiliary weights", "are FLOAT32", "8-bit weights");
  weights = concatenate(op, {weights, aux}, 1);
  return success(bool(weights));
}

/// Binds the outputs of both directions and then their states.
FailureOr<SmallVector<Value>> finishDirections(ImportedOperation &op, Value forward, Value backward,
                                               ArrayRef<Value> states, const CellForm &form, bool mergeOutputs) {
  backward = reversed(op, backward, form);
  SmallVector<Value> results{forward, backward};
  if (mergeOutputs)
    results = {concatenate(op, {forward, backward}, 2)};
  results.append(states.begin(), states.end());
  if (op.numOutputs() > results.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, at most " + Twine(results.size()));
  for (uint32_t position = 0; position < op.numOutputs(); ++position)
    if (!results[position] || !op.resultType(position, shapeOf(results[position])) ||
        failed(op.finish(results[position], position)))
      return failure();
  return SmallVector<Value>(states);
}

/// One direction of a layer, and the values that it leaves as states.
struct Direction {
  Value output;
  SmallVector<Value, 2> states;
};

/// The position of a direction's auxiliary weights, if the layer has any.
using AuxWeights = std::optional<uint32_t>;

/// The first auxiliary weights, those of the input gate, may be omitted together with that gate.
template <const LstmPositions &positions>
FailureOr<Direction> createLstmDirection(ImportedOperation &op, Value input, AuxWeights auxWeights,
                                         const CellForm &form, StateReader readState) {
  FailureOr<LstmOperands> operands = readLstm(op, positions, 3, readState);
  if (failed(operands))
    return failure();
  operands->input = input;
  const size_t gates = operands->inputWeights.size();
  for (size_t gate = 0; auxWeights && gate < gates; ++gate)
    if (failed(widen(op, operands->inputWeights[gate], *auxWeights + static_cast<uint32_t>(4 - gates + gate))))
      return failure();
  auto cell = createLstm(op, *operands, form);
  if (!cell)
    return failure();
  return Direction{cell.getOutput(), {cell.getOutputStateOut(), cell.getCellStateOut()}};
}

template <uint32_t first>
FailureOr<Direction> createRnnDirection(ImportedOperation &op, Value input, AuxWeights auxWeights, const CellForm &form,
                                        StateReader readState) {
  Value weights = op.parameter(first, "weights");
  if (!weights || (auxWeights && failed(widen(op, weights, *auxWeights))))
    return failure();
  auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type) { return boundedType(op, shape, elementOf(input)); };
  auto cell = createRnn(op, input, weights, first + 1, form, readState, typeOf);
  if (!cell)
    return failure();
  return Direction{cell.getOutput(), {cell.getStateOut()}};
}

/// One kind of layer: where its auxiliary operands are, and what creates its directions.
struct Layer {
  struct Half {
    uint32_t auxWeights;
    FailureOr<Direction> (*create)(ImportedOperation &, Value input, AuxWeights, const CellForm &, StateReader);
  };

  uint32_t auxInput;
  uint32_t presentAux; ///< present if and only if the layer has auxiliary weights
  Half forward, backward;
};

constexpr Layer kLstm{kLstmAuxInput,
                      kLstmAuxForward + 1,
                      {kLstmAuxForward, createLstmDirection<kForwardLstm>},
                      {kLstmAuxBackward, createLstmDirection<kBackwardLstm>}};
constexpr Layer kRnn{kRnnAuxInput,
                     kRnnAuxForward,
                     {kRnnAuxForward, createRnnDirection<kRnnForward>},
                     {kRnnAuxBackward, createRnnDirection<kRnnBackward>}};

FailureOr<SmallVector<Value>> convertLayer(const Layer &layer, ImportedOperation &op, const CellForm &form,
                                           bool mergeOutputs, StateReader readState) {
  const bool hasAuxWeights = op.hasInput(layer.presentAux);
  FailureOr<Inputs> inputs = readInputs(op, layer.auxInput, hasAuxWeights, form);
  if (failed(inputs))
    return failure();
  auto create = [&](const Layer::Half &half, Value input) {
    return half.create(op, input, hasAuxWeights ? AuxWeights(half.auxWeights) : std::nullopt, form, readState);
  };
  FailureOr<Direction> forward = create(layer.forward, inputs->forward);
  FailureOr<Direction> backward = create(layer.backward, inputs->backward);
  if (failed(forward) || failed(backward))
    return failure();
  SmallVector<Value> states = llvm::to_vector(llvm::concat<Value>(forward->states, backward->states));
  return finishDirections(op, forward->output, backward->output, states, form, mergeOutputs);
}

} // namespace

FailureOr<SmallVector<Value>> convertBidirectionalLstm(ImportedOperation &op, const CellForm &form, bool mergeOutputs,
                                                       StateReader readState) {
  return convertLayer(kLstm, op, form, mergeOutputs, readState);
}

FailureOr<SmallVector<Value>> convertBidirectionalRnn(ImportedOperation &op, const CellForm &form, bool mergeOutputs,
                                                      StateReader readState) {
  return convertLayer(kRnn, op, form, mergeOutputs, readState);
}

} // namespace avocet::compiler
