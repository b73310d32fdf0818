//===- Pools.cpp - Pools over any axes --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pools.h"

#include "Constants.h"
#include "Formula.h"

#include "avocet/base/Rounding.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Whether the dialect has pools of this form.
bool isPlanePool(const Pool &pool) {
  const SpatialWindow &window = pool.window;
  if (window.axes() > 2 || !isa<FloatType>(elementOf(pool.input)))
    return false;
  for (size_t axis = 0; axis < window.axes(); ++axis)
    if (window.dilation[axis] != 1 || std::max(window.pad.low[axis], window.pad.high[axis]) >= window.kernel[axis])
      return false;
  return true;
}

template <typename PoolOp> Value planePooled(ImportedOperation &op, Pool pool) {
  const bool isLine = pool.window.axes() == 1;
  if (isLine) {
    pool.window.addAxis();
    pool.input = withAxis(op, pool.input, 2);
  }
  Value image = channelsLast(op, pool.input);
  if (!image)
    return {};
  Value pooled = channelsFirst(op, createAs<PoolOp>(op, elementOf(image), image, pool.window.kernel, pool.window.stride,
                                                    pool.window.planePadding(), nn::Activation::kNone));
  return isLine ? elementAt(op, pooled, 2, 0) : pooled;
}

/// The value with padding, of the shape of the input or one that broadcasts to it.
Value padded(ImportedOperation &op, const Pool &pool, Value value, double fill) {
  Amounts amounts{{0, 0}, {0, 0}};
  llvm::append_range(amounts.low, pool.window.pad.low);
  llvm::append_range(amounts.high, pool.window.pad.high);
  return value ? pad(op, value, amounts, fill) : value;
}

/// What tap `tap` of each window reads along an axis.
Value tapOf(ImportedOperation &op, const Pool &pool, Value x, size_t axis, int64_t tap) {
  return partOf(op, x, 2 + axis, tap * pool.window.dilation[axis], pool.results(axis), pool.window.stride[axis]);
}

/// Combines the elements of each window, one axis after another.
Value combined(ImportedOperation &op, const Pool &pool, Value x, llvm::function_ref<Value(Value, Value)> combine) {
  for (size_t axis = 0; axis < pool.window.axes(); ++axis) {
    Value result = tapOf(op, pool, x, axis, 0);
    for (int64_t tap = 1; tap < pool.window.kernel[axis]; ++tap)
      result = combine(result, tapOf(op, pool, x, axis, tap));
    x = result;
  }
  return x;
}

double leastOf(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  return element.isUnsignedInteger() ? 0 : -std::pow(2.0, element.getIntOrFloatBitWidth() - 1);
}

/// Positions in one channel of the input, [1, 1, ...].
Value positionsOf(ImportedOperation &op, const Pool &pool, bool isColumnMajor) {
  SmallVector<int64_t> shape(pool.extents()), order = axesFrom(0, shape.size());
  if (isColumnMajor) {
    std::reverse(shape.begin(), shape.end());
    std::reverse(order.begin(), order.end());
  }
  if (failed(checkComputedBytes(op, "input", RankedTensorType::get(shape, op.builder().getI32Type()))))
    return {};
  return withAxis(op, withAxis(op, transpose(op, ascending(op, shape), order), 0), 0);
}

/// The number of elements that the mean of each window along an axis counts.
SmallVector<float> countsOf(const Pool &pool, size_t axis, bool countsPadding) {
  const SpatialWindow &window = pool.window;
  const int64_t low = window.pad.low[axis], extent = pool.extents()[axis];
  const int64_t first = countsPadding ? 0 : low;
  const int64_t end = low + extent + (countsPadding ? window.pad.high[axis] - pool.more[axis] : 0);
  SmallVector<float> counts;
  for (int64_t result = 0; result < pool.results(axis); ++result) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
      const int64_t at = result * window.stride[axis] + tap * window.dilation[axis];
      count += at >= first && at < end ? 1 : 0;
    }
    counts.push_back(static_cast<float>(count));
  }
  return counts;
}

} // namespace

void Pool::addCeiling() {
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t inside = extents()[axis] + window.pad.low[axis], whole = inside + window.pad.high[axis],
                  stride = window.stride[axis], reach = window.reach(axis);
    if (whole < reach)
      continue;
    int64_t last = divideUp(whole - reach, stride) * stride;
    if (last >= inside)
      last -= stride;
    more[axis] = std::max<int64_t>(last + reach - whole, 0);
    window.pad.high[axis] += more[axis];
  }
}

Value maxPooled(ImportedOperation &op, const Pool &pool) {
  if (isPlanePool(pool))
    return planePooled<nn::MaxPool2dOp>(op, pool);
  return combined(op, pool, padded(op, pool, pool.input, leastOf(elementOf(pool.input))),
                  [&](Value a, Value b) { return createPair<nn::MaximumOp>(op, a, b); });
}

Value averagePooled(ImportedOperation &op, const Pool &pool, bool countsPadding) {
  const bool hasPadding = llvm::any_of(llvm::concat<const int64_t>(pool.window.pad.low, pool.window.pad.high),
                                       [](int64_t amount) { return amount != 0; });
  if (isPlanePool(pool) && (!countsPadding || !hasPadding))
    return planePooled<nn::AveragePool2dOp>(op, pool);
  Formula f(op, elementOf(pool.input));
  Value sums = combined(op, pool, padded(op, pool, pool.input, 0), [&](Value a, Value b) { return f.add(a, b); });
  for (size_t axis = 0; axis < pool.window.axes(); ++axis) {
    const SmallVector<float> counts = countsOf(pool, axis, countsPadding);
    Value divisor = float32Constant(op, lineShape(shapeOf(pool.input).size(), 2 + axis, pool.results(axis)), counts);
    sums = f.div(sums, castTo(op, divisor, elementOf(pool.input)));
  }
  return sums;
}

Value normPooled(ImportedOperation &op, const Pool &pool, int64_t p) {
  Formula f(op, elementOf(pool.input));
  return f.norm(pool.input, p, [&](Value powers) {
    return combined(op, pool, padded(op, pool, powers, 0), [&](Value a, Value b) { return f.add(a, b); });
  });
}

std::pair<Value, Value> maxWithPositions(ImportedOperation &op, const Pool &pool, bool isColumnMajor) {
  const Type element = elementOf(pool.input), wide = computedElement(op, element), i32 = op.builder().getI32Type();
  Value x = castTo(op, padded(op, pool, pool.input, leastOf(element)), wide);
  Value places = padded(op, pool, positionsOf(op, pool, isColumnMajor), 0);
  Formula f(op, wide), positions(op, i32);
  // Of equal elements the first one in memory counts, so the last axis comes first.
  for (size_t axis = pool.window.axes(); axis-- > 0;) {
    Value best = tapOf(op, pool, x, axis, 0), at = tapOf(op, pool, places, axis, 0);
    for (int64_t tap = 1; tap < pool.window.kernel[axis]; ++tap) {
      Value next = tapOf(op, pool, x, axis, tap);
      Value isGreater = f.compare(next, nn::CompareKind::Greater, best);
      at = positions.select(isGreater, tapOf(op, pool, places, axis, tap), at);
      best = f.max(best, next);
    }
    x = best;
    places = at;
  }
  SmallVector<int64_t> each(pool.window.axes(), 1);
  each.insert(each.begin(), {shapeOf(pool.input)[0], shapeOf(pool.input)[1]});
  Value firsts = positions.mul(ascending(op, each), static_cast<double>(llvm::product_of(pool.extents(), int64_t(1))));
  return {castTo(op, x, element), castTo(op, positions.add(places, firsts), op.builder().getI64Type())};
}

} // namespace avocet::compiler
