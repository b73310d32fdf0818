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

  uint32_t weights(Draft &draft, uint32_t rows, uint32_t columns) const {
    return draft.fresh(type, {rows, columns}, ValueRole::Constant);
  }
  uint32_t bias(Draft &draft) const { return draft.fresh(type, {units}, ValueRole::Constant); }
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

bool bidirectionalRnn(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  const Layer layer = anyLayer(draft, 3, isTimeMajor);
  draft.input(layer.input);
  for (int direction = 0; direction < 2; ++direction)
    draft.inputs({layer.weights(draft, layer.units, layer.size), layer.weights(draft, layer.units, layer.units),
                  layer.bias(draft), layer.state(draft)});
  for (int auxiliary = 0; auxiliary < 3; ++auxiliary)
    draft.input(draft.omitted(layer.type));
  const bool merges = draft.random().flip();
  draft.inputs({anyActivation(draft), draft.boolean(isTimeMajor), draft.boolean(merges)});
  for (int result = merges ? 1 : 0; result < 2; ++result)
    draft.outputLike(layer.input, 3);
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

/// Four weights for the input and four for the output, without peepholes; then four biases, no projection.
void addGates(Draft &draft, const Layer &layer) {
  for (uint32_t columns : {layer.size, layer.units})
    for (int gate = 0; gate < 4; ++gate)
      draft.input(layer.weights(draft, layer.units, columns));
  for (int peephole = 0; peephole < 3; ++peephole)
    draft.input(draft.omitted(layer.type));
  for (int gate = 0; gate < 4; ++gate)
    draft.input(layer.bias(draft));
  for (int projection = 0; projection < 2; ++projection)
    draft.input(draft.omitted(layer.type));
}

void addClips(Draft &draft, const Layer &layer) {
  draft.inputs({draft.integer(kTanh), draft.real(draft.random().flip() ? 0.0f : 8.0f, layer.type),
                draft.real(0.0f, layer.type)});
}

bool lstm(Draft &draft) {
  const Layer layer = anyLayer(draft, 2, false);
  draft.input(layer.input);
  addGates(draft, layer);
  draft.inputs({layer.state(draft), layer.state(draft)});
  addClips(draft, layer);
  for (int result = 0; result < 4; ++result)
    draft.outputLike(layer.input, 2);
  return true;
}

void omitNormalization(Draft &draft, const Layer &layer) {
  for (int gate = 0; gate < 4; ++gate)
    draft.input(draft.omitted(layer.type));
}

bool sequenceLstm(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  const Layer layer = anyLayer(draft, 3, isTimeMajor);
  draft.input(layer.input);
  addGates(draft, layer);
  draft.inputs({layer.state(draft), layer.state(draft)});
  addClips(draft, layer);
  draft.input(draft.boolean(isTimeMajor));
  omitNormalization(draft, layer);
  draft.outputLike(layer.input, 3);
  return true;
}

bool bidirectionalLstm(Draft &draft) {
  const bool isTimeMajor = draft.random().flip();
  const Layer layer = anyLayer(draft, 3, isTimeMajor);
  draft.input(layer.input);
  for (int direction = 0; direction < 2; ++direction)
    addGates(draft, layer);
  for (int state = 0; state < 4; ++state)
    draft.input(layer.state(draft));
  for (int auxiliary = 0; auxiliary < 9; ++auxiliary)
    draft.input(draft.omitted(layer.type));
  addClips(draft, layer);
  const bool merges = draft.random().flip();
  draft.inputs({draft.boolean(merges), draft.boolean(isTimeMajor)});
  for (int direction = 0; direction < 2; ++direction)
    omitNormalization(draft, layer);
  for (int result = merges ? 1 : 0; result < 2; ++result)
    draft.outputLike(layer.input, 3);
  return true;
}

uint32_t quantized(Draft &draft, OperandType type, const Dimensions &shape, float scale, int32_t zeroPoint,
                   ValueRole role = ValueRole::Constant) {
  Value value = draft.at(draft.fresh(type, shape, role));
  value.scale = scale;
  value.zeroPoint = zeroPoint;
  return draft.add(std::move(value));
}

/// The operation requires these quantisations (NeuralNetworks.h).
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
