//===- NnapiCells.cpp - Operands that recurrent layers share ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiCells.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

FailureOr<float> clip(NnapiOperation &op, uint32_t position, StringRef name) {
  FailureOr<double> limit = op.real(position, name);
  if (failed(limit))
    return failure();
  if (!(*limit >= 0))
    return op.malformed("has " + name + " that is less than 0");
  return static_cast<float>(*limit);
}

} // namespace

FailureOr<nn::CellActivation> cellActivation(NnapiOperation &op, uint32_t position) {
  FailureOr<int64_t> code = op.integer(position, "activation");
  if (failed(code))
    return failure();
  std::optional<nn::CellActivation> known;
  if (*code >= 0 && *code <= INT32_MAX)
    known = nn::symbolizeCellActivation(static_cast<uint32_t>(*code));
  if (!known)
    return op.malformed("has the unknown activation " + Twine(*code));
  return *known;
}

FailureOr<CellForm> readLstmForm(NnapiOperation &op, uint32_t activationPosition) {
  FailureOr<nn::CellActivation> activation = cellActivation(op, activationPosition);
  FailureOr<float> cellClip = clip(op, activationPosition + 1, "cell clip");
  FailureOr<float> projectionClip = clip(op, activationPosition + 2, "projection clip");
  if (failed(activation) || failed(cellClip) || failed(projectionClip))
    return failure();
  CellForm form;
  form.activation = *activation;
  form.cellClip = *cellClip;
  form.projectionClip = *projectionClip;
  return form;
}

LogicalResult addPresentParts(NnapiOperation &op, const LstmPositions &positions, uint32_t parts,
                              NnapiPresent &present) {
  const uint32_t shift = positions.shift, norm = positions.layerNorm;
  Value weights = op.value(shift + kLstmInputWeights + 1, "weights"),
        recurrent = op.value(shift + kLstmRecurrentWeights + 1, "weights");
  if (!weights || !recurrent || shapeOf(weights).size() != 2 || shapeOf(recurrent).size() != 2)
    return failure();
  const int64_t units = shapeOf(weights)[0], inputs = shapeOf(weights)[1], outputs = shapeOf(recurrent)[1];
  const bool gate = parts & 1, peepholes = parts & 2, norms = parts & 4, projection = parts & 8, bias = parts & 16;
  auto add = [&](bool isThere, uint32_t position, SmallVector<int64_t> extents) {
    if (isThere && position < op.numInputs())
      present.push_back({position, std::move(extents)});
  };
  add(gate, shift + kLstmInputWeights, {units, inputs});
  add(gate, shift + kLstmRecurrentWeights, {units, outputs});
  add(gate, shift + kLstmBiases, {units});
  add(projection, shift + kLstmProjection, {outputs, units});
  add(projection && bias, shift + kLstmProjectionBias, {outputs});
  for (uint32_t i = 0; i < 3; ++i)
    add(peepholes && (gate || i > 0), shift + kLstmPeepholes + i, {units});
  for (uint32_t i = 0; i < 4; ++i)
    add(norms && (gate || i > 0), norm + i, {units});
  return success();
}

} // namespace avocet::compiler
