//===- NnapiBidirectional.cpp - Recurrent layers in both directions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

#include "Import/Common/Bidirectional.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

enum BidirectionalLstm : uint32_t { kLstmActivation = 48, kLstmMerge = 51, kLstmTimeMajor = 52 };
enum BidirectionalRnn : uint32_t { kRnnActivation = 12, kRnnTimeMajor = 13, kRnnMerge = 14 };

LogicalResult convertLstm(NnapiOperation &op) {
  FailureOr<CellForm> form = readLstmForm(op, kLstmActivation);
  FailureOr<bool> timeMajor = op.boolean(kLstmTimeMajor, "time major"), merge = op.boolean(kLstmMerge, "merge outputs");
  if (failed(form) || failed(timeMajor) || failed(merge))
    return failure();
  form->batchMajor = !*timeMajor;
  return success(succeeded(convertBidirectionalLstm(op, *form, *merge, stateOperands(op))));
}

LogicalResult convertRnn(NnapiOperation &op) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, kRnnActivation);
  FailureOr<bool> timeMajor = op.boolean(kRnnTimeMajor, "time major"), merge = op.boolean(kRnnMerge, "merge outputs");
  if (failed(activation) || failed(timeMajor) || failed(merge))
    return failure();
  CellForm form;
  form.activation = *activation;
  form.batchMajor = !*timeMajor;
  return success(succeeded(convertBidirectionalRnn(op, form, *merge, stateOperands(op))));
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
  SmallVector<int64_t> sequence(shapeOf(input));
  sequence.back() = aux;
  present.push_back({auxInput, sequence});
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
