//===- OnnxPool.cpp - Pools -------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "OnnxWindow.h"

#include "avocet/base/Rounding.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// With `ceil_mode`, padding at the end for a last window that is not whole. `more` receives it.
void addCeiling(OnnxOperation &op, OnnxWindow &window, ArrayRef<int64_t> extents, SmallVector<int64_t> &more) {
  more.assign(window.axes(), 0);
  if (!op.flag("ceil_mode"))
    return;
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t padded = extents[axis] + window.pad.low[axis] + window.pad.high[axis];
    if (padded < window.reach(axis))
      continue;
    int64_t results = divideUp(padded - window.reach(axis), window.stride[axis]) + 1;
    // A window must begin before the padding at the end.
    if ((results - 1) * window.stride[axis] >= extents[axis] + window.pad.low[axis])
      --results;
    more[axis] = std::max<int64_t>((results - 1) * window.stride[axis] + window.reach(axis) - padded, 0);
    window.pad.high[axis] += more[axis];
  }
}

struct Pool {
  Value input;
  OnnxWindow window;
  SmallVector<int64_t> more; ///< of the padding at the end, what ceil_mode adds

  ArrayRef<int64_t> extents() const { return shapeOf(input).drop_front(2); }
  int64_t results(size_t axis) const { return window.results(axis, extents()[axis]); }
};

FailureOr<Pool> poolOf(OnnxOperation &op, Value input) {
  if (!input)
    return failure();
  if (shapeOf(input).size() < 3)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be at least 3");
  const SmallVector<int64_t> kernel = op.list("kernel_shape");
  Pool pool{input, {}, {}};
  FailureOr<OnnxWindow> window = windowOf(op, kernel, pool.extents());
  if (failed(window))
    return failure();
  pool.window = *window;
  addCeiling(op, pool.window, pool.extents(), pool.more);
  for (size_t axis = 0; axis < pool.window.axes(); ++axis)
    if (pool.results(axis) < 1 || pool.window.pad.low[axis] < 0 || pool.window.pad.high[axis] < 0)
      return op.malformed("has a window that is larger than its input, or negative padding");
  return pool;
}

/// Whether the dialect has pools of this form.
bool isPlanePool(const Pool &pool) {
  const OnnxWindow &window = pool.window;
  if (window.axes() > 2 || !isa<FloatType>(elementOf(pool.input)))
    return false;
  for (size_t axis = 0; axis < window.axes(); ++axis)
    if (window.dilation[axis] != 1 || std::max(window.pad.low[axis], window.pad.high[axis]) >= window.kernel[axis])
      return false;
  return true;
}

template <typename PoolOp> Value planePooled(OnnxOperation &op, Pool pool) {
  const size_t axes = pool.window.axes();
  ArrayRef<int64_t> in = shapeOf(pool.input);
  if (axes == 1) {
    addAxis(pool.window);
    pool.input = reshape(op, pool.input, {in[0], in[1], 1, in[2]});
  }
  Value image = channelsLast(op, pool.input);
  if (!image)
    return {};
  Value pooled = channelsFirst(op, createAs<PoolOp>(op, elementOf(image), image, pool.window.kernel, pool.window.stride,
                                                    planePadding(pool.window), nn::Activation::kNone));
  if (pooled && axes == 1)
    pooled = reshape(op, pooled, {in[0], in[1], shapeOf(pooled)[3]});
  return pooled;
}

Value padded(OnnxOperation &op, const Pool &pool, Value input, double fill) {
  Amounts amounts{SmallVector<int64_t>(2, 0), SmallVector<int64_t>(2, 0)};
  llvm::append_range(amounts.low, pool.window.pad.low);
  llvm::append_range(amounts.high, pool.window.pad.high);
  const bool none =
      llvm::all_of(llvm::concat<const int64_t>(amounts.low, amounts.high), [](int64_t a) { return a == 0; });
  return none ? input : pad(op, input, amounts, fill);
}

/// Combines the elements of each window, one axis after another.
Value combined(OnnxOperation &op, const Pool &pool, Value x, llvm::function_ref<Value(Value, Value)> combine) {
  for (size_t axis = 0; x && axis < pool.window.axes(); ++axis) {
    SmallVector<int64_t> begin(shapeOf(x).size(), 0), extents(shapeOf(x)), strides(begin.size(), 1);
    extents[2 + axis] = pool.results(axis);
    strides[2 + axis] = pool.window.stride[axis];
    Value result;
    for (int64_t tap = 0; tap < pool.window.kernel[axis]; ++tap) {
      begin[2 + axis] = tap * pool.window.dilation[axis];
      Value part = slice(op, x, begin, extents, strides);
      result = tap == 0 ? part : combine(result, part);
    }
    x = result;
  }
  return x;
}

double leastOf(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  return element.isUnsignedInteger() ? 0 : -std::pow(2.0, element.getIntOrFloatBitWidth() - 1);
}

/// The position of the greatest element of each window in the whole input, as if `input` had rows of all its elements.
Value positionsOfGreatest(OnnxOperation &op, const Pool &pool, Value x) {
  const bool isColumnMajor = op.flag("storage_order");
  const size_t axes = pool.window.axes(), rank = axes + 2;
  const SmallVector<int64_t> in(shapeOf(pool.input));
  // Distances of neighbours along each axis.
  SmallVector<int64_t> steps(rank, 1);
  if (isColumnMajor)
    for (size_t axis = 3; axis < rank; ++axis)
      steps[axis] = steps[axis - 1] * in[axis - 1];
  else
    for (size_t axis = rank - 1; axis-- > 2;)
      steps[axis] = steps[axis + 1] * in[axis + 1];
  steps[1] = llvm::product_of(pool.extents(), int64_t(1));
  steps[0] = steps[1] * in[1];
  SmallVector<int64_t> result{in[0], in[1]}, strides(rank, 1), tap(axes, 0);
  for (size_t axis = 0; axis < axes; ++axis) {
    result.push_back(pool.results(axis));
    strides[2 + axis] = pool.window.stride[axis];
  }
  SmallVector<Value> parts;
  SmallVector<int32_t> offsets;
  SmallVector<int64_t> stacked(result);
  stacked.push_back(1);
  for (bool more = true; more;) {
    SmallVector<int64_t> begin(2, 0);
    int64_t offset = 0;
    for (size_t axis = 0; axis < axes; ++axis) {
      begin.push_back(tap[axis] * pool.window.dilation[axis]);
      offset += begin.back() * steps[2 + axis];
    }
    offsets.push_back(static_cast<int32_t>(offset));
    parts.push_back(reshape(op, slice(op, x, begin, result, strides), stacked));
    more = false;
    for (size_t axis = axes; axis-- > 0 && !more;) {
      more = ++tap[axis] < pool.window.kernel[axis];
      tap[axis] = more ? tap[axis] : 0;
    }
  }
  const Type i32 = op.builder().getI32Type(), i64 = op.builder().getI64Type();
  Value all = concatenate(op, parts, static_cast<int64_t>(rank));
  Value which = all ? createAs<nn::ArgReduceOp>(op, i32, all, nn::ArgReduceKind::Max, static_cast<int64_t>(rank), false)
                    : Value();
  Value table = int32Constant(op, {static_cast<int64_t>(offsets.size())}, offsets);
  Value position = which ? create<nn::GatherOp>(op, table, which, 0) : Value();
  for (size_t axis = 0; axis < rank; ++axis) {
    SmallVector<int64_t> shape(rank, 1);
    shape[axis] = result[axis];
    SmallVector<int32_t> firsts;
    for (int64_t i = 0; i < result[axis]; ++i)
      firsts.push_back(static_cast<int32_t>(
          axis < 2 ? i * steps[axis]
                   : (i * pool.window.stride[axis - 2] - pool.window.pad.low[axis - 2]) * steps[axis]));
    position = add(op, position, int32Constant(op, shape, firsts));
  }
  return castTo(op, position, i64);
}

LogicalResult convertMaxPool(OnnxOperation &op) {
  FailureOr<Pool> pool = poolOf(op, op.value(0, "input"));
  if (failed(pool))
    return failure();
  if (!op.hasOutput(1))
    op.ignore({"storage_order"});
  if (!op.hasOutput(1) && isPlanePool(*pool))
    return op.finish(planePooled<nn::MaxPool2dOp>(op, *pool));
  Value x = padded(op, *pool, pool->input, leastOf(elementOf(pool->input)));
  Value pooled = combined(op, *pool, x, [&](Value a, Value b) { return createPair<nn::MaximumOp>(op, a, b); });
  if (failed(op.finish(pooled)))
    return failure();
  return op.hasOutput(1) ? op.finish(positionsOfGreatest(op, *pool, x), 1) : success();
}

/// The number of elements that the mean of each window along an axis counts.
SmallVector<float> countsOf(const Pool &pool, size_t axis, bool countsPadding) {
  const OnnxWindow &window = pool.window;
  const int64_t first = countsPadding ? 0 : window.pad.low[axis];
  const int64_t end = countsPadding
                          ? pool.extents()[axis] + window.pad.low[axis] + window.pad.high[axis] - pool.more[axis]
                          : window.pad.low[axis] + pool.extents()[axis];
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

LogicalResult convertAveragePool(OnnxOperation &op) { return op.finish(averagePooled(op, op.value(0, "input"))); }

/// The p-th root of a sum of p-th powers.
Value root(Formula &f, Value sum, int64_t p, OnnxOperation &op) {
  if (p == 1)
    return sum;
  return p == 2 ? f.apply(nn::UnaryKind::Sqrt, sum)
                : createPair<nn::PowOp>(op, sum, f.constant(1.0 / static_cast<double>(p)));
}
Value powers(Formula &f, Value x, int64_t p, OnnxOperation &op) {
  if (p == 2)
    return f.mul(x, x);
  Value magnitude = f.apply(nn::UnaryKind::Abs, x);
  return p == 1 ? magnitude : createPair<nn::PowOp>(op, magnitude, f.constant(static_cast<double>(p)));
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
  if (failed(pool) || failed(p))
    return failure();
  Formula f(op, elementOf(pool->input));
  Value x = padded(op, *pool, powers(f, pool->input, *p, op), 0);
  return op.finish(root(f, combined(op, *pool, x, [&](Value a, Value b) { return f.add(a, b); }), *p, op));
}

/// A pool over all spatial axes.
template <Value (*reduce)(OnnxOperation &, Formula &, Value, ArrayRef<int64_t>)>
LogicalResult convertGlobal(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  if (shapeOf(x).size() < 3)
    return op.malformed("has an input of rank " + Twine(shapeOf(x).size()) + ", must be at least 3");
  SmallVector<int64_t> axes(shapeOf(x).size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  Formula f(op, elementOf(x));
  return op.finish(reduce(op, f, x, axes));
}

Value average(OnnxOperation &, Formula &f, Value x, ArrayRef<int64_t> axes) { return f.mean(x, axes); }
Value greatest(OnnxOperation &, Formula &f, Value x, ArrayRef<int64_t> axes) {
  return f.reduce(nn::ReduceKind::Max, x, axes);
}
Value norm(OnnxOperation &op, Formula &f, Value x, ArrayRef<int64_t> axes) {
  FailureOr<int64_t> p = exponent(op);
  return failed(p) ? Value() : root(f, f.reduce(nn::ReduceKind::Sum, powers(f, x, *p, op), axes), *p, op);
}

constexpr OnnxConverter kConverters[] = {
    {"AveragePool", 1, 1, 1, convertAveragePool},
    {"GlobalAveragePool", 1, 1, 1, convertGlobal<average>},
    {"GlobalLpPool", 2, 1, 1, convertGlobal<norm>},
    {"GlobalMaxPool", 1, 1, 1, convertGlobal<greatest>},
    {"LpPool", 2, 1, 1, convertLpPool},
    {"MaxPool", 1, 1, 1, convertMaxPool, 1, 2},
};

} // namespace

Value averagePooled(OnnxOperation &op, Value input) {
  FailureOr<Pool> pool = poolOf(op, input);
  if (failed(pool))
    return {};
  const bool countsPadding = op.flag("count_include_pad");
  const bool hasPadding = llvm::any_of(llvm::concat<int64_t>(pool->window.pad.low, pool->window.pad.high),
                                       [](int64_t amount) { return amount != 0; });
  if (isPlanePool(*pool) && (!countsPadding || !hasPadding))
    return planePooled<nn::AveragePool2dOp>(op, *pool);
  Formula f(op, elementOf(pool->input));
  Value sums = combined(op, *pool, padded(op, *pool, pool->input, 0), [&](Value a, Value b) { return f.add(a, b); });
  for (size_t axis = 0; axis < pool->window.axes(); ++axis) {
    SmallVector<int64_t> shape(shapeOf(pool->input).size(), 1);
    shape[2 + axis] = pool->results(axis);
    const SmallVector<float> counts = countsOf(*pool, axis, countsPadding);
    Value divisor = nn::ConstantOp::create(
        op.builder(), op.location(), RankedTensorType::get(shape, op.builder().getF32Type()),
        DenseElementsAttr::get(RankedTensorType::get(shape, op.builder().getF32Type()), ArrayRef<float>(counts)));
    sums = f.div(sums, castTo(op, divisor, elementOf(pool->input)));
  }
  return sums;
}

ArrayRef<OnnxConverter> onnxPoolConverters() { return kConverters; }

} // namespace avocet::compiler
