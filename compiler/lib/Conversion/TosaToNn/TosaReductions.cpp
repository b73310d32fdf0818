//===- TosaReductions.cpp - Reductions along one axis -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Formula.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult finishReduce(TosaOperation &op, Value input, nn::ReduceKind kind, int64_t axis) {
  return finish<nn::ReduceOp>(op, input, kind, ArrayRef(axis), /*keepDims=*/true);
}

template <typename Source, nn::ReduceKind kind> LogicalResult convertReduce(TosaOperation &op, Source source) {
  return finishReduce(op, op.value(0, "input"), kind, source.getAxis());
}

/// With the mode IGNORE the result is NaN only if all elements are.
template <typename Source, nn::ReduceKind kind> LogicalResult convertExtreme(TosaOperation &op, Source source) {
  Value input = op.value(0, "input");
  if (!ignoresNan(source.getNanMode(), input))
    return finishReduce(op, input, kind, source.getAxis());
  Formula f(op, elementOf(input));
  const double least = kind == nn::ReduceKind::Max ? -INFINITY : INFINITY;
  Value number = f.reduce(kind, selectNan(op, input, least, input), {source.getAxis()});
  Value areNan =
      Formula(op, op.builder().getI1Type()).reduce(nn::ReduceKind::All, isNan(op, input), {source.getAxis()});
  return op.finish(f.select(areNan, f.constant(NAN), number));
}

/// The first NaN is the largest element. Its place does not follow from comparisons, which are all false for it.
LogicalResult convertArgMax(TosaOperation &op, tosa::ArgMaxOp source) {
  const Type i32 = op.builder().getI32Type();
  const auto largest = [&](Value of) {
    return createAs<nn::ArgReduceOp>(op, i32, of, nn::ArgReduceKind::Max, static_cast<uint64_t>(source.getAxis()),
                                     /*keepDims=*/false);
  };
  Value input = withoutNan(op, op.value(0, "input"), source.getNanMode(), -INFINITY), place = largest(input);
  if (!place || ignoresNan(source.getNanMode(), input) || !isa<FloatType>(elementOf(input)))
    return op.finish(place);
  Formula truths(op, op.builder().getI1Type());
  Value isNanAt = isNan(op, input);
  Value hasNan = truths.reduce(nn::ReduceKind::Any, isNanAt, {source.getAxis()}, /*keep=*/false);
  return op.finish(truths.select(hasNan, largest(castTo(op, isNanAt, i32)), place));
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
