//===- OnnxReductions.cpp - Reductions --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Reductions.h"
#include "Import/Common/Sequences.h"
#include "OnnxWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

/// How a reduction is made of x. Axes are positive and unique; `keep` keeps them with extent 1.
using Reduce = Value (*)(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep);

template <ReduceKind kind> Value reduced(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) {
  return f.reduce(kind, x, axes, keep);
}
Value mean(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) { return f.mean(x, axes, keep); }
Value total(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) { return f.reduce(ReduceKind::Sum, x, axes, keep); }
template <int64_t p> Value norm(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) {
  return f.norm(x, p, [&](Value powers) { return total(f, powers, axes, keep); });
}
Value sumOfSquares(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) { return total(f, f.mul(x, x), axes, keep); }
Value logOfSum(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) {
  return f.apply(UnaryKind::Log, total(f, x, axes, keep));
}
/// The greatest element is taken out, so that nothing overflows.
Value logOfSumOfPowers(Formula &f, Value x, ArrayRef<int64_t> axes, bool keep) {
  Value greatest = f.reduce(ReduceKind::Max, x, axes, true);
  Value sum = total(f, f.apply(UnaryKind::Exp, f.sub(x, greatest)), axes, keep);
  return f.add(f.apply(UnaryKind::Log, sum), keep ? greatest : f.reduce(ReduceKind::Max, x, axes, false));
}

/// The axes of operand 1; all without it, or none.
FailureOr<SmallVector<int64_t>> reducedAxes(OnnxOperation &op, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = SmallVector<int64_t>();
  if (op.hasInput(1))
    axes = distinctAxes(op, rank);
  const bool keepsAll = op.flag("noop_with_empty_axes");
  return succeeded(axes) && axes->empty() && !keepsAll ? axesFrom(0, rank) : axes;
}

template <Reduce reduce> LogicalResult convertReduction(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  const bool keep = op.flag("keepdims", true);
  FailureOr<SmallVector<int64_t>> axes = reducedAxes(op, static_cast<int64_t>(shapeOf(x).size()));
  if (failed(axes))
    return failure();
  const Type element = elementOf(x),
             computed = element.isInteger(1) ? op.builder().getI32Type() : computedElement(op, element);
  Formula f(op, computed);
  x = castTo(op, x, computed);
  if (!axes->empty() || !x)
    return op.finish(castTo(op, reduce(f, x, *axes, keep), element));
  // The function still counts where no axis is reduced: an axis of one element is.
  const auto last = static_cast<int64_t>(shapeOf(x).size());
  return op.finish(castTo(op, reduce(f, withAxis(op, x, last), {last}, false), element));
}

/// A pool over all spatial axes.
template <Reduce reduce> LogicalResult convertGlobalPool(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!hasSpatialAxes(op, x))
    return failure();
  Formula f(op, elementOf(x));
  return op.finish(reduce(f, x, axesFrom(2, shapeOf(x).size()), /*keep=*/true));
}

LogicalResult convertGlobalNorm(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> p = exponentOf(op);
  if (failed(p) || !hasSpatialAxes(op, x))
    return failure();
  Formula f(op, elementOf(x));
  const SmallVector<int64_t> axes = axesFrom(2, shapeOf(x).size());
  return op.finish(f.norm(x, *p, [&](Value powers) { return total(f, powers, axes, /*keep=*/true); }));
}

template <nn::ArgReduceKind kind> LogicalResult convertArg(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> axis = op.axisOf(0, x);
  if (failed(axis))
    return failure();
  const bool keep = op.flag("keepdims", true), takesLast = op.flag("select_last_index");
  const Type i32 = op.builder().getI32Type();
  const int64_t extent = shapeOf(x)[*axis];
  Value index = createAs<nn::ArgReduceOp>(op, i32, takesLast ? reverse(op, x, {*axis}) : x, kind, *axis, keep);
  if (takesLast)
    index = Formula(op, i32).sub(static_cast<double>(extent - 1), index);
  return op.finish(castTo(op, index, op.builder().getI64Type()));
}

LogicalResult convertCumSum(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> axis = op.axis(1, x);
  if (failed(axis))
    return failure();
  return op.finish(createAs<nn::CumulativeSumOp>(op, elementOf(x), x, op.flag("exclusive"), op.flag("reverse"), *axis));
}

LogicalResult convertCumProd(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> axis = op.axis(1, x);
  if (failed(axis))
    return failure();
  return op.finish(cumulativeProduct(op, x, *axis, op.flag("exclusive"), op.flag("reverse")));
}

constexpr OnnxConverter kConverters[] = {
    {"ArgMax", 1, 1, 1, convertArg<nn::ArgReduceKind::Max>},
    {"ArgMin", 1, 1, 1, convertArg<nn::ArgReduceKind::Min>},
    {"CumProd", 26, 2, 2, convertCumProd},
    {"CumSum", 11, 2, 2, convertCumSum},
    {"GlobalAveragePool", 1, 1, 1, convertGlobalPool<mean>},
    {"GlobalLpPool", 2, 1, 1, convertGlobalNorm},
    {"GlobalMaxPool", 1, 1, 1, convertGlobalPool<reduced<ReduceKind::Max>>},
    {"ReduceL1", 1, 1, 2, convertReduction<norm<1>>},
    {"ReduceL2", 1, 1, 2, convertReduction<norm<2>>},
    {"ReduceLogSum", 1, 1, 2, convertReduction<logOfSum>},
    {"ReduceLogSumExp", 1, 1, 2, convertReduction<logOfSumOfPowers>},
    {"ReduceMax", 1, 1, 2, convertReduction<reduced<ReduceKind::Max>>},
    {"ReduceMean", 1, 1, 2, convertReduction<mean>},
    {"ReduceMin", 1, 1, 2, convertReduction<reduced<ReduceKind::Min>>},
    {"ReduceProd", 1, 1, 2, convertReduction<reduced<ReduceKind::Prod>>},
    {"ReduceSum", 1, 1, 2, convertReduction<total>},
    {"ReduceSumSquare", 1, 1, 2, convertReduction<sumOfSquares>},
};

} // namespace

ArrayRef<OnnxConverter> onnxReductionConverters() { return kConverters; }

} // namespace avocet::compiler
