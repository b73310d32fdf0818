//===- OnnxPool.cpp - Pools -------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Formula.h"
#include "Import/Common/Pools.h"
#include "OnnxWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult checkSpatial(OnnxOperation &op, Value input) {
  if (input && shapeOf(input).size() < 3)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be at least 3");
  return success(input != nullptr);
}

FailureOr<Pool> poolOf(OnnxOperation &op, Value input) {
  if (failed(checkSpatial(op, input)))
    return failure();
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape"), shapeOf(input).drop_front(2));
  if (failed(window))
    return failure();
  Pool pool{input, *window, SmallVector<int64_t>(window->axes(), 0)};
  if (op.flag("ceil_mode"))
    pool.addCeiling();
  for (size_t axis = 0; axis < window->axes(); ++axis)
    if (pool.results(axis) < 1 || window->pad.low[axis] < 0 || window->pad.high[axis] < 0)
      return op.malformed("has a window that is larger than its input, or negative padding");
  return pool;
}

LogicalResult convertMaxPool(OnnxOperation &op) {
  FailureOr<Pool> pool = poolOf(op, op.value(0, "input"));
  const bool isColumnMajor = op.flag("storage_order");
  if (failed(pool))
    return failure();
  if (!op.hasOutput(1))
    return op.finish(maxPooled(op, *pool));
  const auto [greatest, positions] = maxWithPositions(op, *pool, isColumnMajor);
  return finishAll(op, {greatest, positions});
}

FailureOr<int64_t> exponent(OnnxOperation &op) {
  const int64_t p = op.integer("p", 2);
  if (p < 1)
    return op.malformed("has the exponent p " + Twine(p) + ", must be positive");
  return p;
}

LogicalResult convertLpPool(OnnxOperation &op) {
  FailureOr<Pool> pool = poolOf(op, op.value(0, "input"));
  FailureOr<int64_t> p = exponent(op);
  return failed(pool) || failed(p) ? failure() : op.finish(normPooled(op, *pool, *p));
}

/// Reduces all spatial axes.
Value overAll(OnnxOperation &op, Value x, llvm::function_ref<Value(Formula &f, ArrayRef<int64_t> axes)> reduce) {
  if (failed(checkSpatial(op, x)))
    return {};
  Formula f(op, elementOf(x));
  return reduce(f, axesFrom(2, shapeOf(x).size()));
}

LogicalResult convertGlobalMax(OnnxOperation &op) {
  Value x = op.value(0, "input");
  return op.finish(overAll(
      op, x, [&](Formula &f, ArrayRef<int64_t> axes) { return f.reduce(nn::ReduceKind::Max, x, axes); }));
}

LogicalResult convertGlobalNorm(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> p = exponent(op);
  if (failed(p))
    return failure();
  return op.finish(overAll(op, x, [&](Formula &f, ArrayRef<int64_t> axes) {
    return f.norm(x, *p, [&](Value powers) { return f.reduce(nn::ReduceKind::Sum, powers, axes); });
  }));
}

/// A function of the input.
template <Value (*pool)(OnnxOperation &, Value)> LogicalResult convertPool(OnnxOperation &op) {
  return op.finish(pool(op, op.value(0, "input")));
}

constexpr OnnxConverter kConverters[] = {
    {"AveragePool", 1, 1, 1, convertPool<averagePooled>},
    {"GlobalAveragePool", 1, 1, 1, convertPool<globalAverage>},
    {"GlobalLpPool", 2, 1, 1, convertGlobalNorm},
    {"GlobalMaxPool", 1, 1, 1, convertGlobalMax},
    {"LpPool", 2, 1, 1, convertLpPool},
    {"MaxPool", 1, 1, 1, convertMaxPool, 1, 2},
};

} // namespace

Value averagePooled(OnnxOperation &op, Value input) {
  FailureOr<Pool> pool = poolOf(op, input);
  const bool countsPadding = op.flag("count_include_pad");
  return failed(pool) ? Value() : averagePooled(op, *pool, countsPadding);
}

Value globalAverage(OnnxOperation &op, Value input) {
  return overAll(op, input, [&](Formula &f, ArrayRef<int64_t> axes) { return f.mean(input, axes); });
}

ArrayRef<OnnxConverter> onnxPoolConverters() { return kConverters; }

} // namespace avocet::compiler
