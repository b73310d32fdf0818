//===- Attention.cpp - Attention and rotary embeddings ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include "Constants.h"
#include "FoldedConstants.h"
#include "Formula.h"
#include "MatrixProduct.h"
#include "Moves.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {

Value headsFirst(ImportedOperation &op, Value value, int64_t heads) {
  if (!value || !ofRank(op, value, "an input", 3))
    return {};
  const ArrayRef<int64_t> shape = shapeOf(value);
  if (heads < 1 || shape[2] % heads != 0)
    return op.malformed("has " + Twine(heads) + " heads for " + Twine(shape[2]) + " elements");
  return transpose(op, reshape(op, value, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Value headsLast(ImportedOperation &op, Value value) {
  if (!value)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(value);
  return reshape(op, transpose(op, value, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

Value columns(ImportedOperation &op, Value value, int64_t first, int64_t count) {
  return value ? foldedIfConstant(op, partOf(op, value, shapeOf(value).size() - 1, first, count)) : value;
}

Attention Attention::unpacked(ImportedOperation &op, Value packed, std::array<int64_t, 3> widths) {
  const auto [q, k, v] = widths;
  return {columns(op, packed, 0, q), columns(op, packed, q, k), columns(op, packed, q + k, v)};
}

void Attention::splitHeads(ImportedOperation &op, int64_t queryHeads, int64_t keyHeads) {
  q = headsFirst(op, q, queryHeads);
  k = headsFirst(op, k, keyHeads);
  v = headsFirst(op, v, keyHeads);
}

LogicalResult Attention::check(ImportedOperation &op) const {
  for (Value each : {q, k, v})
    if (!ofRank(op, each, "an operand with heads", 4))
      return failure();
  const bool isWhole = shapeOf(q)[0] == shapeOf(k)[0] && shapeOf(q)[1] % shapeOf(k)[1] == 0 &&
                       shapeOf(q)[3] == shapeOf(k)[3] && shapeOf(k).drop_back() == shapeOf(v).drop_back();
  if (!isWhole)
    return op.malformed("has queries " + nn::textOf(shapeOf(q)) + ", keys " + nn::textOf(shapeOf(k)) + " and values " +
                        nn::textOf(shapeOf(v)));
  return success();
}

void Attention::appendPast(ImportedOperation &op, Value key, Value value) {
  past = key ? shapeOf(key)[2] : 0;
  k = concatenate(op, {key, k}, 2);
  v = concatenate(op, {value, v}, 2);
}

void Attention::maskUnless(ImportedOperation &op, Value condition, double masked) {
  Formula f(op, elementOf(q));
  biases.push_back(f.select(condition, f.constant(0), f.constant(masked)));
}

void Attention::maskFuture(ImportedOperation &op) {
  SmallVector<int32_t> positions(length());
  std::iota(positions.begin(), positions.end(), static_cast<int32_t>(past));
  Value last = int32Constant(op, {length(), 1}, positions);
  maskUnless(op, compare(op, ascending(op, {1, total()}), nn::CompareKind::LessEqual, last));
}

void Attention::maskAfter(ImportedOperation &op, Value lengths, double masked) {
  Value limits = lengths ? castTo(op, alongAxis(op, lengths, 4, 0), op.builder().getI32Type()) : lengths;
  maskUnless(op, compare(op, ascending(op, {1, 1, 1, total()}), nn::CompareKind::Less, limits), masked);
}

void Attention::maskBy(ImportedOperation &op, Value mask) {
  if (mask && elementOf(mask).isInteger(1))
    maskUnless(op, mask);
  else
    biases.push_back(castTo(op, mask, elementOf(q)));
  Value &bias = biases.back();
  const int64_t missing = bias && !shapeOf(bias).empty() ? total() - shapeOf(bias).back() : 0;
  if (missing <= 0 || shapeOf(bias).back() == 1)
    return;
  SmallVector<int64_t> shape(shapeOf(bias));
  shape.back() = missing;
  bias = concatenate(op, {bias, filled(op, shape, elementOf(bias), kMasked)}, static_cast<int64_t>(shape.size()) - 1);
}

LogicalResult Attention::maskKeys(ImportedOperation &op, Value mask, double masked) {
  if (!mask)
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(mask);
  if (shape.size() == 1 && shape[0] == shapeOf(q)[0]) {
    maskAfter(op, mask, masked);
    return success();
  }
  if (shape.size() == 1 || shape.size() > 3)
    return op.refuse("mask", "has numbers of keys, or one number for each key", nn::textOf(shape));
  Value wide = withAxis(op, shape.size() == 2 ? withAxis(op, mask, 1) : mask, 1);
  maskUnless(op, Formula(op, elementOf(mask)).compare(wide, nn::CompareKind::NotEqual, 0), masked);
  return success();
}

Value Attention::run(ImportedOperation &op) {
  const SmallVector<int64_t> query(shapeOf(q));
  const int64_t batch = query[0], heads = query[1], shared = shapeOf(k)[1], rows = heads / shared * query[2];
  Formula f(op, elementOf(q));
  const double factor = scale == 0 ? 1 / std::sqrt(static_cast<double>(query[3])) : scale;
  Value grouped = reshape(op, q, {batch, shared, rows, query[3]});
  products = reshape(op, f.mul(matrixProduct(op, grouped, k, false, /*transposeRhs=*/true), factor),
                     {batch, heads, query[2], total()});
  capped = softcap > 0 ? f.mul(f.tanh(f.mul(products, 1 / softcap)), softcap) : products;
  biased = capped;
  if (!biases.empty())
    biased = f.add(biased, std::accumulate(biases.begin() + 1, biases.end(), biases.front(),
                                           [&](Value sum, Value each) { return f.add(sum, each); }));
  weights = biased ? createAs<nn::SoftmaxOp>(op, elementOf(biased), biased, APFloat(1.0f), int64_t(3)) : biased;
  Value result = matrixProduct(op, reshape(op, weights, {batch, shared, rows, total()}), v, false, false);
  return reshape(op, result, {batch, heads, query[2], shapeOf(v)[3]});
}

Value rotated(ImportedOperation &op, Value x, Value cosine, Value sine, bool isInterleaved) {
  if (!x || !cosine || !sine)
    return {};
  const int64_t half = shapeOf(cosine).back(), width = shapeOf(x)[3], step = isInterleaved ? 2 : 1;
  if (2 * half > width)
    return op.malformed("rotates " + Twine(2 * half) + " of " + Twine(width) + " elements");
  Value a = partOf(op, x, 3, 0, half, step), b = partOf(op, x, 3, isInterleaved ? 1 : half, half, step);
  Formula f(op, elementOf(x));
  SmallVector<Value> parts{f.sub(f.mul(cosine, a), f.mul(sine, b)), f.add(f.mul(sine, a), f.mul(cosine, b))};
  if (isInterleaved) {
    SmallVector<int64_t> shape(shapeOf(x));
    shape[3] = 2 * half;
    parts = {reshape(op, stacked(op, parts, 4), shape)};
  }
  if (2 * half < width)
    parts.push_back(partOf(op, x, 3, 2 * half, width - 2 * half));
  return concatenate(op, parts, 3);
}

Value anglesOf(ImportedOperation &op, Value table, Value positions, int64_t first, int64_t length) {
  if (!table)
    return {};
  Value rows = table;
  if (positions)
    rows = create<nn::GatherOp>(op, table, positions, 0);
  else if (shapeOf(table).size() == 2) {
    if (first + length > shapeOf(table)[0])
      return op.malformed("has " + Twine(shapeOf(table)[0]) + " rows of angles for " + Twine(first + length) +
                          " positions");
    rows = partOf(op, table, 0, first, length);
  }
  if (!rows)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(rows);
  return reshape(op, rows, {shape.size() == 3 ? shape[0] : 1, 1, shape.end()[-2], shape.back()});
}

} // namespace avocet::compiler
