//===- NnCellShapes.cpp - Shapes of recurrent cells ------------- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include <functional>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr size_t kStep = 2, kSteps = 3; ///< ranks of one step and of a sequence

LogicalResult checkSequence(const Sequence &sequence, ShapeErrors errors) {
  const size_t rank = sequence.input.size();
  if (rank == kSteps || (rank == kStep && !sequence.isBatchMajor))
    return success();
  return errors() << "rank of input is " << rank << ", must be 3 for a sequence"
                  << (sequence.isBatchMajor ? "" : " and 2 for a step");
}

int64_t batchOf(const Sequence &sequence) {
  return sequence.input[sequence.input.size() == kStep || sequence.isBatchMajor ? 0 : 1];
}

Shape withLast(ShapeRef input, int64_t last) {
  Shape shape(input);
  shape.back() = last;
  return shape;
}

LogicalResult checkState(StringRef name, ShapeRef state, int64_t batch, ShapeErrors errors) {
  if (failed(checkRank(errors, name, state, 2)))
    return failure();
  return checkShape(errors, name, state, {batch, state[1]});
}

} // namespace

FailureOr<Shapes> lstmCellShapes(const Sequence &sequence, ShapeRef outputState, ShapeRef cellState, size_t gates,
                                 ShapeErrors errors) {
  if (failed(checkSequence(sequence, errors)))
    return failure();
  const int64_t batch = batchOf(sequence);
  if (failed(checkState("output state", outputState, batch, errors)) ||
      failed(checkState("cell state", cellState, batch, errors)))
    return failure();
  const int64_t sums = ofExtents(std::multiplies<int64_t>(), cellState[1], static_cast<int64_t>(gates));
  return Shapes{
      {batch, sums}, {batch, outputState[1]}, {batch, cellState[1]}, withLast(sequence.input, outputState[1])};
}

FailureOr<Shapes> quantizedLstmShapes(ShapeRef input, ShapeRef outputState, ShapeRef cellState, ShapeErrors errors) {
  if (failed(checkRank(errors, "input", input, kStep)) ||
      failed(checkState("cell state", cellState, input[0], errors)) ||
      failed(checkShape(errors, "output state", outputState, {input[0], cellState[1]})))
    return failure();
  return Shapes(2, Shape{input[0], cellState[1]});
}

FailureOr<Shapes> rnnCellShapes(const Sequence &sequence, ShapeRef state, ShapeErrors errors) {
  if (failed(checkSequence(sequence, errors)) || failed(checkState("state", state, batchOf(sequence), errors)))
    return failure();
  return Shapes{{batchOf(sequence), state[1]}, withLast(sequence.input, state[1])};
}

FailureOr<Shapes> svdfShapes(ShapeRef input, ShapeRef featureWeights, ShapeRef timeWeights, ShapeRef state,
                             int64_t rank, ShapeErrors errors) {
  if (failed(checkRank(errors, "input", input, 2)) || failed(checkRank(errors, "feature weights", featureWeights, 2)) ||
      failed(checkRank(errors, "time weights", timeWeights, 2)))
    return failure();
  const int64_t batch = input[0], filters = featureWeights[0], memory = timeWeights[1];
  if (rank < 1 || (!isOpen(filters) && filters % rank != 0))
    return errors() << "has the rank " << rank << ", must divide the " << filters << " filters";
  const int64_t stored = ofExtents(std::multiplies<int64_t>(), filters, memory);
  if (failed(checkShape(errors, "feature weights", featureWeights, {filters, input[1]})) ||
      failed(checkShape(errors, "time weights", timeWeights, {filters, memory})) ||
      failed(checkShape(errors, "state", state, {batch, stored})))
    return failure();
  return Shapes{{batch, stored}, {batch, ofExtents([&](int64_t all) { return all / rank; }, filters)}};
}

FailureOr<Shape> lstmShape(ShapeRef input, std::optional<ShapeRef> recurrentWeights, ShapeErrors errors) {
  if (failed(checkRank(errors, "input", input, kSteps)))
    return failure();
  if (!recurrentWeights)
    return errors() << "recurrent weights has 0 tensors, needs one for each gate";
  if (failed(checkRank(errors, "recurrent weights", *recurrentWeights, 2)))
    return failure();
  return withLast(input, recurrentWeights->front());
}

} // namespace avocet::compiler::nn
