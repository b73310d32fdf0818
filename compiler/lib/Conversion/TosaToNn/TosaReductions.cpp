//===- TosaReductions.cpp - Reductions along one axis -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Source, nn::ReduceKind kind> LogicalResult convertReduce(TosaOperation &op, Source source) {
  return finish<nn::ReduceOp>(op, op.value(0, "input"), kind, ArrayRef<int64_t>{source.getAxis()}, /*keepDims=*/true);
}

/// With the mode IGNORE the result is NaN only if all elements are.
template <typename Source, nn::ReduceKind kind> LogicalResult convertExtreme(TosaOperation &op, Source source) {
  Value input = op.value(0, "input");
  if (!input || source.getNanMode() == tosa::NanPropagationMode::PROPAGATE || !isa<FloatType>(elementOf(input)))
    return convertReduce<Source, kind>(op, source);
  const std::array<int64_t, 1> axes{source.getAxis()};
  const auto reduced = [&](Value value, nn::ReduceKind how) {
    return value ? createAs<nn::ReduceOp>(op, elementOf(value), value, how, axes, /*keepDims=*/true) : Value();
  };
  const double least = kind == nn::ReduceKind::Max ? -INFINITY : INFINITY;
  Value number = reduced(withoutNan(op, input, source.getNanMode(), least), kind);
  Value areNan = reduced(isNan(op, input), nn::ReduceKind::All);
  Value nan = number ? broadcastTo(op, numberLike(op, number, NAN), shapeOf(number)) : Value();
  return areNan && nan ? finish<nn::SelectOp>(op, areNan, nan, number) : failure();
}

/// The first NaN is the largest element. Its place does not follow from comparisons, which are all false for it.
LogicalResult convertArgMax(TosaOperation &op, tosa::ArgMaxOp source) {
  const Type i32 = op.builder().getI32Type();
  const std::array<int64_t, 1> axes{source.getAxis()};
  const auto largest = [&](Value of) {
    return of ? createAs<nn::ArgReduceOp>(op, i32, of, nn::ArgReduceKind::Max, static_cast<uint64_t>(axes[0]),
                                          /*keepDims=*/false)
              : Value();
  };
  Value input = withoutNan(op, op.value(0, "input"), source.getNanMode(), -INFINITY);
  Value place = largest(input);
  if (!place || source.getNanMode() == tosa::NanPropagationMode::IGNORE || !isa<FloatType>(elementOf(input)))
    return place ? op.finish(place) : failure();
  Value isNanAt = isNan(op, input);
  Value hasNan = createAs<nn::ReduceOp>(op, op.builder().getI1Type(), isNanAt, nn::ReduceKind::Any, axes,
                                        /*keepDims=*/false);
  Value firstNan = largest(castTo(op, isNanAt, i32));
  return hasNan && firstNan ? finish<nn::SelectOp>(op, hasNan, firstNan, place) : failure();
}

constexpr TosaConverter kConverters[] = {
    kConverts<convertArgMax>,
    kConverts<convertReduce<tosa::ReduceAllOp, nn::ReduceKind::All>>,
    kConverts<convertReduce<tosa::ReduceAnyOp, nn::ReduceKind::Any>>,
    kConverts<convertExtreme<tosa::ReduceMaxOp, nn::ReduceKind::Max>>,
    kConverts<convertExtreme<tosa::ReduceMinOp, nn::ReduceKind::Min>>,
    kConverts<convertReduce<tosa::ReduceProductOp, nn::ReduceKind::Prod>>,
    kConverts<convertReduce<tosa::ReduceSumOp, nn::ReduceKind::Sum>>,
};

} // namespace

ArrayRef<TosaConverter> tosaReductionConverters() { return kConverters; }

} // namespace avocet::compiler
