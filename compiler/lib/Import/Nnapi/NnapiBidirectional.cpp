//===- NnapiBidirectional.cpp - Recurrent layers in both directions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bidirectional layer is two layers, one of which reads and writes its sequence from the end. With auxiliary weights
// both read the auxiliary input too: as further features, whose weights are further columns. Without them the backward
// layer reads the auxiliary input in place of the input.
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

enum BidirectionalLstm : uint32_t {
  kLstmAuxInput = 39,
  kLstmAuxForward = 40,
  kLstmAuxBackward = 44,
  kLstmActivation = 48,
  kLstmMerge = 51,
  kLstmTimeMajor = 52,
};
constexpr LstmPositions kForwardLstm{0, 35, 36, 53}, kBackwardLstm{17, 37, 38, 57};

enum BidirectionalRnn : uint32_t {
  kRnnForward = 1,
  kRnnBackward = 5,
  kRnnAuxInput = 9,
  kRnnAuxForward = 10,
  kRnnAuxBackward = 11,
  kRnnActivation = 12,
  kRnnTimeMajor = 13,
  kRnnMerge = 14,
};

/// Which axes of the sequences the model uses, and whether the outputs are one tensor.
struct Arrangement {
  bool timeMajor, merge;
  int64_t timeAxis() const { return timeMajor ? 0 : 1; }
  int64_t batchAxis() const { return timeMajor ? 1 : 0; }
};

FailureOr<Arrangement> arrangementOf(NnapiOperation &op, uint32_t timeMajor, uint32_t merge) {
  FailureOr<bool> major = op.boolean(timeMajor, "time major"), merged = op.boolean(merge, "merge outputs");
  if (failed(major) || failed(merged))
    return failure();
  return Arrangement{*major, *merged};
}

/// The sequence from its last step to its first.
Value reversed(NnapiOperation &op, Value sequence, const Arrangement &arrangement) {
  return reverse(op, sequence, arrangement.timeAxis());
}

/// The inputs of the two directions; `both`: the auxiliary input adds features to both.
struct Inputs {
  Value forward, backward;
  bool both = false;
};

FailureOr<Inputs> readInputs(NnapiOperation &op, uint32_t auxInput, bool hasAuxWeights, const Arrangement &order) {
  Value input = op.value(0, "input");
  const bool hasAux = op.hasInput(auxInput);
  Value aux = hasAux ? op.value(auxInput, "auxiliary input") : Value();
  if (!input || (hasAux && !aux))
    return failure();
  for (Value sequence : {input, aux})
    if (sequence && shapeOf(sequence).size() != 3)
      return op.malformed("has a sequence of rank " + Twine(shapeOf(sequence).size()) + ", must be 3");
  if (aux && shapeOf(aux).drop_back() != shapeOf(input).drop_back())
    return op.malformed("has an auxiliary input with another number of steps or another batch than the input");
  if (hasAuxWeights && !aux)
    return op.malformed("has auxiliary weights without an auxiliary input");
  Inputs inputs{input, aux ? aux : input, hasAuxWeights};
  if (inputs.both)
    inputs.forward = inputs.backward = concatenate(op, {input, aux}, 2);
  inputs.backward = reversed(op, inputs.backward, order);
  if (!inputs.forward || !inputs.backward)
    return failure();
  return inputs;
}

/// Appends the columns of auxiliary weights.
LogicalResult widen(NnapiOperation &op, Value &weights, uint32_t position) {
  Value aux = op.value(position, "auxiliary weights");
  if (!aux)
    return failure();
  if (shapeOf(aux).size() != 2 || shapeOf(weights).size() != 2 || shapeOf(aux)[0] != shapeOf(weights)[0])
    return op.malformed("has auxiliary weights with another number of rows than the weights");
  weights = concatenate(op, {weights, aux}, 1);
  return success(bool(weights));
}

/// Binds the outputs of both directions and then their states.
LogicalResult finishDirections(NnapiOperation &op, Value forward, Value backward, ArrayRef<Value> states,
                               const Arrangement &arrangement) {
  backward = reversed(op, backward, arrangement);
  SmallVector<Value> results{forward, backward};
  if (arrangement.merge)
    results = {concatenate(op, {forward, backward}, 2)};
  results.append(states.begin(), states.end());
  for (uint32_t position = 0; position < std::min<size_t>(op.numOutputs(), results.size()); ++position)
    if (!results[position] || !op.resultType(position, shapeOf(results[position])))
      return failure();
  return finishAll(op, results);
}

RankedTensorType typeLike(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, cast<RankedTensorType>(like.getType()).getElementType());
}

/// The first auxiliary weights, those of the input gate, may be omitted together with that gate.
FailureOr<nn::LstmCellOp> createDirection(NnapiOperation &op, const LstmPositions &positions, Value input,
                                          std::optional<uint32_t> auxWeights, const Arrangement &arrangement) {
  LstmOperands operands;
  if (failed(readLstmStates(op, positions, 3, operands)) || failed(readLstmWeights(op, positions, operands)))
    return failure();
  operands.input = input;
  const size_t gates = operands.inputWeights.size();
  for (size_t gate = 0; auxWeights && gate < gates; ++gate)
    if (failed(widen(op, operands.inputWeights[gate], *auxWeights + static_cast<uint32_t>(4 - gates + gate))))
      return failure();
  const int64_t batch = shapeOf(input)[arrangement.batchAxis()], cells = shapeOf(operands.cellState)[1];
  const int64_t outputs = shapeOf(operands.outputState)[1];
  SmallVector<Type> types{typeLike(input, {batch, static_cast<int64_t>(gates) * cells}),
                          typeLike(input, {batch, outputs}), typeLike(input, {batch, cells}),
                          typeLike(input, sequenceShape(input, outputs))};
  return createLstm(op, operands, kLstmActivation, types, !arrangement.timeMajor);
}

LogicalResult convertLstm(NnapiOperation &op) {
  const bool hasAuxWeights = op.hasInput(kLstmAuxForward + 1);
  FailureOr<Arrangement> arrangement = arrangementOf(op, kLstmTimeMajor, kLstmMerge);
  if (failed(arrangement))
    return failure();
  FailureOr<Inputs> inputs = readInputs(op, kLstmAuxInput, hasAuxWeights, *arrangement);
  if (failed(inputs))
    return failure();
  using Position = std::optional<uint32_t>;
  auto forward = createDirection(op, kForwardLstm, inputs->forward,
                                 hasAuxWeights ? Position(kLstmAuxForward) : std::nullopt, *arrangement);
  auto backward = createDirection(op, kBackwardLstm, inputs->backward,
                                  hasAuxWeights ? Position(kLstmAuxBackward) : std::nullopt, *arrangement);
  if (failed(forward) || failed(backward))
    return failure();
  return finishDirections(op, forward->getOutput(), backward->getOutput(),
                          {forward->getOutputStateOut(), forward->getCellStateOut(), backward->getOutputStateOut(),
                           backward->getCellStateOut()},
                          *arrangement);
}

FailureOr<nn::RnnCellOp> createDirection(NnapiOperation &op, uint32_t first, Value input,
                                         std::optional<uint32_t> auxWeights, const Arrangement &arrangement) {
  Value weights = op.value(first, "weights"), recurrent = op.value(first + 1, "recurrent weights"),
        bias = op.value(first + 2, "bias"), state = op.value(first + 3, "state");
  FailureOr<nn::CellActivation> activation = cellActivation(op, kRnnActivation);
  if (!weights || !recurrent || !bias || !state || failed(activation))
    return failure();
  if (shapeOf(state).size() != 2)
    return op.malformed("has a state of rank " + Twine(shapeOf(state).size()) + ", must be 2");
  if (auxWeights && failed(widen(op, weights, *auxWeights)))
    return failure();
  return nn::RnnCellOp::create(op.builder(), op.location(), typeLike(input, shapeOf(state)),
                               typeLike(input, sequenceShape(input, shapeOf(state)[1])), input, weights, recurrent,
                               bias, state, *activation, !arrangement.timeMajor);
}

LogicalResult convertRnn(NnapiOperation &op) {
  const bool hasAuxWeights = op.hasInput(kRnnAuxForward);
  FailureOr<Arrangement> arrangement = arrangementOf(op, kRnnTimeMajor, kRnnMerge);
  if (failed(arrangement))
    return failure();
  FailureOr<Inputs> inputs = readInputs(op, kRnnAuxInput, hasAuxWeights, *arrangement);
  if (failed(inputs))
    return failure();
  using Position = std::optional<uint32_t>;
  auto forward = createDirection(op, kRnnForward, inputs->forward,
                                 hasAuxWeights ? Position(kRnnAuxForward) : std::nullopt, *arrangement);
  auto backward = createDirection(op, kRnnBackward, inputs->backward,
                                  hasAuxWeights ? Position(kRnnAuxBackward) : std::nullopt, *arrangement);
  if (failed(forward) || failed(backward))
    return failure();
  return finishDirections(op, forward->getOutput(), backward->getOutput(),
                          {forward->getStateOut(), backward->getStateOut()}, *arrangement);
}

/// How the auxiliary input is used: not at all, by the backward layer in place of the input, or by both layers.
enum class Linking { None, Parallel, Cross };

/// Appends the auxiliary input for a way of linking; `backward` are the weights of the backward layer. Returns the
/// number of its features, 0 without it; fails if the weights rule this way out.
FailureOr<int64_t> addAuxInput(NnapiOperation &op, Linking linking, uint32_t backward, uint32_t auxInput,
                               NnapiPresent &present) {
  Value input = op.value(0, "input"), weights = op.value(backward, "weights");
  if (!input || !weights || shapeOf(input).size() != 3 || shapeOf(weights).size() != 2)
    return failure();
  const int64_t features = shapeOf(input)[2], read = shapeOf(weights)[1];
  if (linking != Linking::Parallel && read != features)
    return failure();
  if (linking == Linking::None)
    return 0;
  const int64_t aux = linking == Linking::Parallel ? read : features;
  present.push_back({auxInput, sequenceShape(input, aux)});
  return aux;
}

/// Appends the auxiliary weights, which have a row for each row of the weights.
LogicalResult addAuxWeights(NnapiOperation &op, uint32_t weights, uint32_t position, int64_t features,
                            NnapiPresent &present) {
  Value matrix = op.value(weights, "weights");
  if (!matrix || shapeOf(matrix).size() != 2)
    return failure();
  present.push_back({position, {shapeOf(matrix)[0], features}});
  return success();
}

LogicalResult addAuxOfLstm(NnapiOperation &op, Linking linking, bool inputGate, NnapiPresent &present) {
  FailureOr<int64_t> features =
      addAuxInput(op, linking, kBackwardLstm.shift + kLstmInputWeights + 1, kLstmAuxInput, present);
  if (failed(features) || linking != Linking::Cross)
    return LogicalResult(features);
  for (uint32_t gate = inputGate ? 0 : 1; gate < 4; ++gate)
    for (auto [positions, first] : {std::pair(kForwardLstm, kLstmAuxForward), {kBackwardLstm, kLstmAuxBackward}})
      if (failed(addAuxWeights(op, positions.shift + kLstmInputWeights + 1, first + gate, *features, present)))
        return failure();
  return success();
}

/// Both layers have the same optional parts.
SmallVector<NnapiPresent> lstmPresences(NnapiOperation &op) {
  SmallVector<NnapiPresent> presences;
  for (Linking linking : {Linking::None, Linking::Parallel, Linking::Cross})
    for (uint32_t parts = 0; parts < kLstmPartSets; ++parts)
      if (NnapiPresent present; succeeded(addPresentParts(op, kForwardLstm, parts, present)) &&
                                succeeded(addPresentParts(op, kBackwardLstm, parts, present)) &&
                                succeeded(addAuxOfLstm(op, linking, parts & 1, present)))
        presences.push_back(std::move(present));
  return presences;
}

LogicalResult addAuxOfRnn(NnapiOperation &op, Linking linking, NnapiPresent &present) {
  FailureOr<int64_t> features = addAuxInput(op, linking, kRnnBackward, kRnnAuxInput, present);
  if (failed(features) || linking != Linking::Cross)
    return LogicalResult(features);
  if (failed(addAuxWeights(op, kRnnForward, kRnnAuxForward, *features, present)))
    return failure();
  return addAuxWeights(op, kRnnBackward, kRnnAuxBackward, *features, present);
}

SmallVector<NnapiPresent> rnnPresences(NnapiOperation &op) {
  SmallVector<NnapiPresent> presences;
  for (Linking linking : {Linking::None, Linking::Parallel, Linking::Cross})
    if (NnapiPresent present; succeeded(addAuxOfRnn(op, linking, present)))
      presences.push_back(std::move(present));
  return presences;
}

constexpr uint64_t bits(std::initializer_list<uint32_t> positions) {
  uint64_t mask = 0;
  for (uint32_t position : positions)
    mask |= uint64_t{1} << position;
  return mask;
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::BidirectionalSequenceLstm, 61, 61,
     bits({kLstmActivation, kLstmActivation + 1, kLstmActivation + 2, kLstmMerge, kLstmTimeMajor}), convertLstm,
     nullptr, lstmPresences,
     optionalOperands(kForwardLstm) | optionalOperands(kBackwardLstm) | uint64_t{511} << kLstmAuxInput},
    {OperationType::BidirectionalSequenceRnn, 15, 15, bits({kRnnActivation, kRnnTimeMajor, kRnnMerge}), convertRnn,
     nullptr, rnnPresences, bits({kRnnAuxInput, kRnnAuxForward, kRnnAuxBackward})},
};

} // namespace

ArrayRef<NnapiConverter> nnapiBidirectionalConverters() { return kConverters; }

} // namespace avocet::compiler
