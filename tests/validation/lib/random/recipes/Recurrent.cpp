//===- Recurrent.cpp - Recurrent layers -----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

constexpr int32_t kTanh = 4; ///< ActivationFunctionType of the reference kernels

/// Extents of a recurrent layer.
struct Layer {
  uint32_t input = 0;
  OperandType type = TensorFloat32;
  uint32_t batch = 1, size = 1, units = 1;

  uint32_t weights(Draft &draft, uint32_t rows, uint32_t columns) const { return small(draft, {rows, columns}); }
  uint32_t bias(Draft &draft) const { return small(draft, {units}); }
  /// A constant of small values. With large ones gates saturate, and sequences amplify each rounding.
  uint32_t small(Draft &draft, const Dimensions &dimensions) const {
    Value value = draft.at(draft.drawn(type, dimensions, {-0.4375f, -0.25f, -0.125f, 0.0625f, 0.1875f, 0.375f}));
    value.role = ValueRole::Constant;
    return draft.add(std::move(value));
  }
  uint32_t state(Draft &draft) const { return draft.fresh(type, {batch, units}); }
};

Layer anyLayer(Draft &draft, uint32_t rank, bool isTimeMajor) {
  Layer layer;
  layer.input = draft.pickLeading({rank, rank});
  const Value value = draft.at(layer.input);
  layer.type = value.type;
  layer.batch = value.dimensions[isTimeMajor ? 1 : 0];
  layer.size = value.dimensions.back();
  layer.units = draft.random().extent(1, 12);
  return layer;
}

bool rnn(Draft &draft) {
  const Layer layer = anyLayer(draft, 2, false);
  draft.inputs({layer.input, layer.weights(draft, layer.units, layer.size),
                layer.weights(draft, layer.units, layer.units), layer.bias(draft), layer.state(draft),
                anyActivation(draft)});
  draft.outputLike(layer.input, 2);
  draft.outputLike(layer.input, 2);
  return true;
}

bool sequenceRnn(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  const Layer layer = anyLayer(draft, 3, isTimeMajor);
  draft.inputs({layer.input, layer.weights(draft, layer.units, layer.size),
                layer.weights(draft, layer.units, layer.units), layer.bias(draft), layer.state(draft),
                anyActivation(draft), draft.integer(isTimeMajor ? 1 : 0)});
  draft.outputLike(layer.input, 3);
  draft.outputLike(layer.input, 2);
  return true;
}

/// A second input with `count` weights, which both directions read; or without weights, which the backward direction
/// reads instead of the first; most often none.
void addAuxiliaries(Draft &draft, const Layer &layer, int count, bool hasInputGate = true) {
  const Value input = draft.at(layer.input);
  const bool isThere = draft.random().percent(30), hasWeights = isThere && draft.random().flip();
  draft.input(isThere ? draft.pickShape(input, input.dimensions) : draft.omitted(layer.type));
  for (int i = 0; i < count; ++i) {
    const bool isOfInputGate = count == 8 && i % 4 == 0;
    draft.input(hasWeights && (hasInputGate || !isOfInputGate) ? layer.weights(draft, layer.units, layer.size)
                                                               : draft.omitted(layer.type));
  }
}

/// The outputs of both directions, in one or two tensors, and sometimes their states.
void addBothOutputs(Draft &draft, const Layer &layer, bool merges, int states) {
  for (int result = merges ? 1 : 0; result < 2; ++result)
    draft.outputLike(layer.input, 3);
  for (int state = draft.random().flip() ? 0 : states; state < states; ++state)
    draft.outputLike(layer.input, 2);
}

bool bidirectionalRnn(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  const Layer layer = anyLayer(draft, 3, isTimeMajor);
  draft.input(layer.input);
  for (int direction = 0; direction < 2; ++direction)
    draft.inputs({layer.weights(draft, layer.units, layer.size), layer.weights(draft, layer.units, layer.units),
                  layer.bias(draft), layer.state(draft)});
  addAuxiliaries(draft, layer, 2);
  const bool merges = draft.random().flip();
  draft.inputs({anyActivation(draft), draft.boolean(isTimeMajor), draft.boolean(merges)});
  addBothOutputs(draft, layer, merges, 2);
  return true;
}

bool svdf(Draft &draft) {
  const Layer layer = anyLayer(draft, 2, false);
  const uint32_t rank = draft.random().extent(1, 2), memory = draft.random().extent(2, 6);
  const uint32_t filters = layer.units * rank;
  draft.inputs({layer.input, layer.weights(draft, filters, layer.size), layer.weights(draft, filters, memory),
                layer.bias(draft), draft.fresh(layer.type, {layer.batch, memory * filters}),
                draft.integer(static_cast<int32_t>(rank)), anyActivation(draft)});
  draft.outputLike(layer.input, 2);
  draft.outputLike(layer.input, 2);
  return true;
}

/// An LSTM cell with some of its optional parts.
class LstmDraft {
public:
  LstmDraft(Draft &draft, uint32_t rank, bool isTimeMajor)
      : draft_(draft), layer_(anyLayer(draft, rank, isTimeMajor)), hasInputGate_(draft.random().percent(70)),
        hasPeepholes_(draft.random().percent(30)), hasNorm_(draft.random().percent(25)),
        hasProjection_(draft.random().percent(40)),
        outputs_(hasProjection_ ? draft.random().extent(1, 12) : layer_.units) {}

  const Layer &layer() const { return layer_; }
  bool hasInputGate() const { return hasInputGate_; }
  bool hasNorm() const { return hasNorm_; }

  /// Weights of the input and of the output, peepholes, biases, the projection.
  void addGates() {
    for (uint32_t columns : {layer_.size, outputs_})
      for (int gate = 0; gate < 4; ++gate)
        add(isThere(gate), {layer_.units, columns});
    for (int peephole = 0; peephole < 3; ++peephole)
      add(hasPeepholes_ && isThere(peephole), {layer_.units});
    for (int gate = 0; gate < 4; ++gate)
      add(isThere(gate), {layer_.units});
    add(hasProjection_, {outputs_, layer_.units});
    add(hasProjection_ && draft_.random().flip(), {outputs_});
  }

  void addStates() {
    for (uint32_t size : {outputs_, layer_.units})
      draft_.input(draft_.fresh(layer_.type, {layer_.batch, size}));
  }

  /// The activation, and limits of the cell and the projection.
  void addClips() {
    draft_.input(draft_.integer(kTanh));
    for (float limit : {8.0f, 0.5f})
      draft_.input(draft_.real(draft_.random().flip() ? 0.0f : limit, layer_.type));
  }

  void addNorms() {
    for (int gate = 0; gate < 4; ++gate)
      add(hasNorm_ && isThere(gate), {layer_.units});
  }

private:
  /// The first gate is the input gate.
  bool isThere(int gate) const { return gate > 0 || hasInputGate_; }
  void add(bool isPresent, const Dimensions &dimensions) {
    draft_.input(isPresent ? layer_.small(draft_, dimensions) : draft_.omitted(layer_.type));
  }

  Draft &draft_;
  const Layer layer_;
  const bool hasInputGate_, hasPeepholes_, hasNorm_, hasProjection_;
  const uint32_t outputs_;
};

bool lstm(Draft &draft) {
  LstmDraft cell(draft, 2, false);
  draft.input(cell.layer().input);
  cell.addGates();
  cell.addStates();
  cell.addClips();
  if (cell.hasNorm())
    cell.addNorms();
  for (int result = 0; result < 4; ++result)
    draft.outputLike(cell.layer().input, 2);
  return true;
}

bool sequenceLstm(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  LstmDraft cell(draft, 3, isTimeMajor);
  draft.input(cell.layer().input);
  cell.addGates();
  cell.addStates();
  cell.addClips();
  draft.input(draft.boolean(isTimeMajor));
  cell.addNorms();
  draft.outputLike(cell.layer().input, 3);
  for (int state = draft.random().flip() ? 0 : 2; state < 2; ++state)
    draft.outputLike(cell.layer().input, 2);
  return true;
}

bool bidirectionalLstm(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  LstmDraft cell(draft, 3, isTimeMajor);
  draft.input(cell.layer().input);
  for (int direction = 0; direction < 2; ++direction)
    cell.addGates();
  for (int direction = 0; direction < 2; ++direction)
    cell.addStates();
  addAuxiliaries(draft, cell.layer(), 8, cell.hasInputGate());
  cell.addClips();
  const bool merges = draft.random().flip();
  draft.inputs({draft.boolean(merges), draft.boolean(isTimeMajor)});
  for (int direction = 0; direction < 2; ++direction)
    cell.addNorms();
  addBothOutputs(draft, cell.layer(), merges, 4);
  return true;
}

uint32_t quantized(Draft &draft, OperandType type, const Dimensions &shape, float scale, int32_t zeroPoint,
                   ValueRole role = ValueRole::Constant) {
  Value value = draft.at(draft.fresh(type, shape, role));
  value.scale = scale;
  value.zeroPoint = zeroPoint;
  return draft.add(std::move(value));
}

/// The operation requires these quantizations (NeuralNetworks.h).
bool lstm16Bit(Draft &draft) {
  Random &random = draft.random();
  const uint32_t batch = random.extent(1, 3), size = random.extent(1, 12), units = random.extent(1, 12);
  constexpr float kWeightScale = 1.0f / 64;
  draft.input(quantized(draft, TensorQuant8Asymm, {batch, size}, 1.0f / 128, 128, ValueRole::Input));
  for (uint32_t columns : {size, units})
    for (int gate = 0; gate < 4; ++gate)
      draft.input(quantized(draft, TensorQuant8Asymm, {units, columns}, kWeightScale, 128));
  for (int gate = 0; gate < 4; ++gate)
    draft.input(quantized(draft, TensorInt32, {units}, kWeightScale / 128, 0));
  draft.inputs({quantized(draft, TensorQuant16Symm, {batch, units}, 1.0f / 2048, 0, ValueRole::Input),
                quantized(draft, TensorQuant8Asymm, {batch, units}, 1.0f / 128, 128, ValueRole::Input)});
  draft.output(TensorQuant16Symm, 2, 1.0f / 2048, 0);
  draft.output(TensorQuant8Asymm, 2, 1.0f / 128, 128);
  return true;
}

/// QUANTIZED_LSTM with some of its optional parts. The operation multiplies scales in many places: these are the usual
/// ones, with which few sums saturate.
class QuantizedLstmDraft {
public:
  explicit QuantizedLstmDraft(Draft &draft) : draft_(draft), random_(draft.random()) {}

  bool make() {
    draft_.input(quantized(draft_, TensorQuant8AsymmSigned, {batch_, size_}, kUnit, inputZero_, ValueRole::Input));
    addWeights(size_);
    addWeights(outputs_);
    addGroup(3, hasPeepholes_, TensorQuant16Symm, 0x1p-15f);
    addGroup(4, true, TensorInt32, hasNorm_ ? kNormScale / 1024 : kUnit * kUnit);
    addProjection();
    draft_.input(
        quantized(draft_, TensorQuant8AsymmSigned, {batch_, outputs_}, outputScale_, outputZero_, ValueRole::Input));
    draft_.input(quantized(draft_, TensorQuant16Symm, {batch_, units_}, kCellScale, 0, ValueRole::Input));
    addGroup(4, hasNorm_, TensorQuant16Symm, kNormScale);
    addScalars();
    draft_.output(TensorQuant8AsymmSigned, 2, outputScale_, outputZero_);
    draft_.output(TensorQuant16Symm, 2, kCellScale, 0);
    draft_.output(TensorQuant8AsymmSigned, 2, outputScale_, outputZero_);
    return true;
  }

private:
  static constexpr float kUnit = 0x1p-7f, kCellScale = 0x1p-11f, kNormScale = 0x1p-14f, kGateScale = 0x1p-12f;

  /// The first gate is the input gate.
  bool isThere(int gate) const { return gate > 0 || hasInputGate_; }

  void addWeights(uint32_t columns) {
    for (int gate = 0; gate < 4; ++gate)
      draft_.input(isThere(gate) ? quantized(draft_, TensorQuant8Symm, {units_, columns}, kUnit, 0)
                                 : draft_.omitted(TensorQuant8Symm));
  }

  void addGroup(int gates, bool isPresent, OperandType type, float scale) {
    for (int gate = 0; gate < gates; ++gate)
      draft_.input(isPresent && isThere(gate) ? quantized(draft_, type, {units_}, scale, 0) : draft_.omitted(type));
  }

  void addProjection() {
    draft_.input(hasProjection_ ? quantized(draft_, TensorQuant8Symm, {outputs_, units_}, kUnit, 0)
                                : draft_.omitted(TensorQuant8Symm));
    draft_.input(hasProjection_ && random_.flip() ? quantized(draft_, TensorInt32, {outputs_}, kUnit * kUnit, 0)
                                                  : draft_.omitted(TensorInt32));
  }

  void addScalars() {
    draft_.inputs({draft_.real(random_.flip() ? 0.0f : 4.0f, TensorFloat32), draft_.real(0.0f, TensorFloat32)});
    for (int gate = 0; gate < 4; ++gate)
      draft_.input(draft_.real(kGateScale, TensorFloat32));
    draft_.inputs({draft_.integer(hasProjection_ ? 3 : outputZero_), draft_.real(kUnit, TensorFloat32)});
  }

  Draft &draft_;
  Random &random_;
  const uint32_t batch_ = random_.extent(1, 3), size_ = random_.extent(1, 12), units_ = random_.extent(1, 12);
  const bool hasInputGate_ = random_.percent(70), hasPeepholes_ = random_.percent(30), hasNorm_ = random_.percent(25),
             hasProjection_ = random_.percent(40);
  const uint32_t outputs_ = hasProjection_ ? random_.extent(1, 12) : units_;
  const int32_t inputZero_ = random_.between(-20, 20), outputZero_ = random_.between(-20, 20);
  /// Without a projection the output state is the hidden state.
  const float outputScale_ = hasProjection_ ? 0x1p-5f : kUnit;
};

bool lstm8Bit(Draft &draft) { return QuantizedLstmDraft(draft).make(); }

constexpr Recipe kRows[] = {
    {Rnn, rnn},
    {UnidirectionalSequenceRnn, sequenceRnn},
    {BidirectionalSequenceRnn, bidirectionalRnn},
    {Svdf, svdf},
    {Lstm, lstm},
    {UnidirectionalSequenceLstm, sequenceLstm},
    {BidirectionalSequenceLstm, bidirectionalLstm},
    {Quantized16bitLstm, lstm16Bit},
    {QuantizedLstm, lstm8Bit},
};

} // namespace

std::span<const Recipe> recurrentRecipes() { return kRows; }

} // namespace avocet::hal::conformance
