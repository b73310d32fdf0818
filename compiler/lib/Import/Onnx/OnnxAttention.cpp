//===- OnnxAttention.cpp - Attention ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heads are an axis: queries [batch, heads, length, width], keys and values [batch, key heads, total, width]. A group
// of heads that share keys is one matrix with as many rows as all of them have, which is a change of shape only.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "OnnxMatrix.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// [batch, length, heads * width] as [batch, heads, length, width].
Value headsFirst(OnnxOperation &op, Value value, int64_t heads) {
  if (!value || !ofRank(op, value, "an input", 3))
    return {};
  const SmallVector<int64_t> shape(shapeOf(value));
  if (heads < 1 || shape[2] % heads != 0)
    return op.malformed("has " + Twine(heads) + " heads for " + Twine(shape[2]) + " elements");
  return transpose(op, reshape(op, value, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

/// The inverse.
Value headsLast(OnnxOperation &op, Value value) {
  if (!value)
    return {};
  const SmallVector<int64_t> shape(shapeOf(value));
  return reshape(op, transpose(op, value, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// The past before the present, along the axis of positions.
Value appended(OnnxOperation &op, Value past, Value present) {
  return past && present ? concatenate(op, {past, present}, 2) : present;
}

struct Attention {
  Value q, k, v;
  Value bias = {};                                             ///< added to the products; may be null
  float scale = 0;                                             ///< 0: one over the root of the width
  float softcap = 0;                                           ///< 0: none
  Value products = {}, biased = {}, capped = {}, weights = {}; ///< what run() computes on the way

  int64_t length() const { return shapeOf(q)[2]; }
  int64_t total() const { return shapeOf(k)[2]; }

  LogicalResult check(OnnxOperation &op) const {
    if (!q || !k || !v)
      return failure();
    for (Value each : {q, k, v})
      if (!ofRank(op, each, "an operand with heads", 4))
        return failure();
    const bool isWhole = shapeOf(q)[0] == shapeOf(k)[0] && shapeOf(q)[1] % shapeOf(k)[1] == 0 &&
                         shapeOf(q)[3] == shapeOf(k)[3] && shapeOf(k).drop_back() == shapeOf(v).drop_back();
    if (!isWhole)
      return op.malformed("has queries " + nn::textOf(shapeOf(q)) + ", keys " + nn::textOf(shapeOf(k)) +
                          " and values " + nn::textOf(shapeOf(v)));
    return success();
  }

  /// [batch, heads, length, width of values]
  Value run(OnnxOperation &op) {
    const SmallVector<int64_t> query(shapeOf(q));
    const int64_t batch = query[0], heads = query[1], shared = shapeOf(k)[1], rows = heads / shared * query[2];
    Formula f(op, elementOf(q));
    const double factor = scale == 0 ? 1 / std::sqrt(static_cast<double>(query[3])) : scale;
    Value grouped = reshape(op, q, {batch, shared, rows, query[3]});
    products = f.mul(matrixProduct(op, grouped, k, false, true), factor);
    products = products ? reshape(op, products, {batch, heads, query[2], total()}) : products;
    capped = softcap > 0 ? f.mul(f.tanh(f.mul(products, 1 / softcap)), softcap) : products;
    biased = bias ? f.add(capped, bias) : capped;
    weights = biased ? createAs<nn::SoftmaxOp>(op, elementOf(biased), biased, APFloat(1.0f), int64_t(3)) : biased;
    if (!weights)
      return {};
    Value result = matrixProduct(op, reshape(op, weights, {batch, shared, rows, total()}), v, false, false);
    return result ? reshape(op, result, {batch, heads, query[2], shapeOf(v)[3]}) : result;
  }
};

/// 0 where the condition holds, `masked` elsewhere.
Value biasWhere(OnnxOperation &op, Value condition, Type element, double masked = kMasked) {
  Formula f(op, element);
  return condition ? f.select(condition, f.constant(0), f.constant(masked)) : condition;
}

Value sumOf(OnnxOperation &op, Value bias, Value more) {
  return bias && more ? add(op, bias, more) : bias ? bias : more;
}

/// Masks keys after the position of each query, of which the first one has `past` keys before it.
Value causalBias(OnnxOperation &op, int64_t length, int64_t total, int64_t past, Type element) {
  SmallVector<int32_t> positions;
  for (int64_t i = 0; i < length; ++i)
    positions.push_back(static_cast<int32_t>(past + i));
  return biasWhere(
      op, compare(op, ascending(op, {1, total}), nn::CompareKind::LessEqual, int32Constant(op, {length, 1}, positions)),
      element);
}

/// Masks keys from a length for each batch on, i32 or i64 [batch].
Value lengthBias(OnnxOperation &op, Value lengths, int64_t total, Type element, double masked = kMasked) {
  if (!lengths)
    return {};
  Value limits = reshape(op, castTo(op, lengths, op.builder().getI32Type()), {shapeOf(lengths)[0], 1, 1, 1});
  return biasWhere(op, limits ? compare(op, ascending(op, {1, 1, 1, total}), nn::CompareKind::Less, limits) : limits,
                   element, masked);
}

/// The mask of Attention as a bias; keys that a shorter mask does not have are masked.
Value maskBias(OnnxOperation &op, uint32_t position, int64_t total, Type element) {
  Value mask = op.value(position, "attn_mask");
  if (!mask)
    return {};
  const bool isTruth = elementOf(mask).isInteger(1);
  Value bias = isTruth ? biasWhere(op, mask, element) : castTo(op, mask, element);
  const int64_t missing = bias && !shapeOf(bias).empty() ? total - shapeOf(bias).back() : 0;
  if (missing <= 0 || shapeOf(bias).back() == 1)
    return bias;
  SmallVector<int64_t> shape(shapeOf(bias));
  shape.back() = missing;
  Value rest = filled(op, RankedTensorType::get(shape, element), op.builder().getFloatAttr(element, kMasked));
  return concatenate(op, {bias, rest}, static_cast<int64_t>(shape.size()) - 1);
}

LogicalResult convertAttention(OnnxOperation &op) {
  op.ignore({"softmax_precision"});
  Attention attention{op.value(0, "Q"), op.value(1, "K"), op.value(2, "V")};
  if (!attention.q || !attention.k || !attention.v)
    return failure();
  const bool isFlat = shapeOf(attention.q).size() == 3;
  const int64_t queryHeads = op.integer("q_num_heads", 0), keyHeads = op.integer("kv_num_heads", 0);
  if (isFlat) {
    attention.q = headsFirst(op, attention.q, queryHeads);
    attention.k = headsFirst(op, attention.k, keyHeads);
    attention.v = headsFirst(op, attention.v, keyHeads);
  }
  int64_t past = 0;
  if (op.hasInput(4) || op.hasInput(5)) {
    Value key = ofRank(op, op.value(4, "past_key"), "past_key", 4), value = op.value(5, "past_value");
    if (!key || !value)
      return failure();
    past = shapeOf(key)[2];
    attention.k = appended(op, key, attention.k);
    attention.v = appended(op, value, attention.v);
  }
  if (failed(attention.check(op)))
    return failure();
  const Type element = elementOf(attention.q);
  attention.scale = op.number("scale", 0);
  attention.softcap = op.number("softcap", 0);
  if (op.hasInput(3) && !(attention.bias = maskBias(op, 3, attention.total(), element)))
    return failure();
  // As in the runtime, one query after a past sees all keys.
  if (op.flag("is_causal") && (past == 0 || attention.length() > 1))
    attention.bias = sumOf(op, attention.bias, causalBias(op, attention.length(), attention.total(), past, element));
  if (op.hasInput(6))
    attention.bias =
        sumOf(op, attention.bias, lengthBias(op, op.value(6, "nonpad_kv_seqlen"), attention.total(), element));
  Value result = attention.run(op);
  const int64_t mode = op.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return op.malformed("has the qk_matmul_output_mode " + Twine(mode));
  const Value outputs[] = {attention.products, attention.biased, attention.capped, attention.weights};
  if (failed(op.finish(isFlat ? headsLast(op, result) : result)) || failed(op.finish(attention.k, 1)) ||
      failed(op.finish(attention.v, 2)))
    return failure();
  return op.finish(outputs[mode], 3);
}

/// Rotates pairs of elements of the first `2 * width of cosine` elements of the last axis.
Value rotated(OnnxOperation &op, Value x, Value cosine, Value sine, bool isInterleaved) {
  if (!x || !cosine || !sine)
    return {};
  const int64_t half = shapeOf(cosine).back(), width = shapeOf(x)[3];
  if (2 * half > width)
    return op.malformed("rotates " + Twine(2 * half) + " of " + Twine(width) + " elements");
  SmallVector<int64_t> extents(shapeOf(x)), strides(4, 1);
  extents[3] = half;
  strides[3] = isInterleaved ? 2 : 1;
  const auto part = [&](int64_t first) { return slice(op, x, {0, 0, 0, first}, extents, strides); };
  Value a = part(0), b = part(isInterleaved ? 1 : half);
  Formula f(op, elementOf(x));
  Value real = f.sub(f.mul(cosine, a), f.mul(sine, b)), imaginary = f.add(f.mul(sine, a), f.mul(cosine, b));
  if (!real || !imaginary)
    return {};
  SmallVector<Value> parts{real, imaginary};
  if (isInterleaved) {
    extents.push_back(1);
    Value pairs = concatenate(op, {reshape(op, real, extents), reshape(op, imaginary, extents)}, 4);
    extents.pop_back();
    extents[3] = 2 * half;
    parts = {reshape(op, pairs, extents)};
  }
  if (2 * half < width) {
    extents[3] = width - 2 * half;
    parts.push_back(slice(op, x, {0, 0, 0, 2 * half}, extents));
  }
  return parts.size() == 1 ? parts.front() : concatenate(op, parts, 3);
}

/// Rows of a table of angles as [batch or 1, 1, length, half]: at positions [batch, length], or those from `first` on.
/// A table of rank 3 has the rows of each batch.
Value anglesOf(OnnxOperation &op, Value table, Value positions, int64_t first, int64_t length) {
  if (!table)
    return {};
  Value rows = table;
  if (positions)
    rows = create<nn::GatherOp>(op, table, positions, 0);
  else if (shapeOf(table).size() == 2) {
    if (first + length > shapeOf(table)[0])
      return op.malformed("has " + Twine(shapeOf(table)[0]) + " rows of angles for " + Twine(first + length) +
                          " positions");
    rows = slice(op, table, {first, 0}, {length, shapeOf(table)[1]});
  }
  if (!rows)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(rows);
  return reshape(op, rows, {shape.size() == 3 ? shape[0] : 1, 1, shape.end()[-2], shape.back()});
}

LogicalResult finishRotary(OnnxOperation &op, Value positions, Value cosine, Value sine, int64_t heads) {
  Value x = op.value(0, "input");
  if (!x || !cosine || !sine)
    return failure();
  const bool isFlat = shapeOf(x).size() == 3;
  const int64_t rotatedWidth = op.integer("rotary_embedding_dim", 0);
  if (isFlat && heads == 0)
    heads = shapeOf(x)[2] / std::max<int64_t>(2 * shapeOf(cosine).back(), 1);
  x = isFlat ? headsFirst(op, x, heads) : ofRank(op, x, "an input", 4);
  if (!x)
    return failure();
  if (rotatedWidth != 0 && rotatedWidth != 2 * shapeOf(cosine).back())
    return op.malformed("has the rotary_embedding_dim " + Twine(rotatedWidth) + ", and angles for " +
                        Twine(2 * shapeOf(cosine).back()));
  const int64_t length = shapeOf(x)[2];
  Value result = rotated(op, x, anglesOf(op, cosine, positions, 0, length), anglesOf(op, sine, positions, 0, length),
                         op.flag("interleaved"));
  return op.finish(isFlat ? headsLast(op, result) : result);
}

LogicalResult convertRotaryEmbedding(OnnxOperation &op) {
  Value positions = op.hasInput(3) ? op.value(3, "position_ids") : Value();
  if (op.hasInput(3) && !positions)
    return failure();
  return finishRotary(op, positions, op.value(1, "cos_cache"), op.value(2, "sin_cache"), op.integer("num_heads", 0));
}

/// One position is that of the first element.
LogicalResult convertMicrosoftRotary(OnnxOperation &op) {
  if (op.flag("is_packed_batching"))
    return op.refuse("is_packed_batching", "is 0", "1", "0");
  if (op.number("scale", 1) != 1)
    return op.refuse("scale", "is 1", "another number", "1");
  Value x = op.value(0, "input"), positions = op.value(1, "position_ids");
  if (!x || !positions)
    return failure();
  if (tensorOf(positions).getNumElements() == 1 && shapeOf(positions).size() == 1) {
    const int64_t length = shapeOf(x).size() == 3 ? shapeOf(x)[1] : shapeOf(x).end()[-2];
    positions = add(op, castTo(op, positions, op.builder().getI32Type()), ascending(op, {1, length}));
  }
  return finishRotary(op, positions, op.value(2, "cos_cache"), op.value(3, "sin_cache"), op.integer("num_heads", 0));
}

/// A part of packed elements of the last axis.
Value columns(OnnxOperation &op, Value value, int64_t first, int64_t count) {
  if (!value)
    return {};
  SmallVector<int64_t> begin(shapeOf(value).size(), 0), extents(shapeOf(value));
  begin.back() = first;
  extents.back() = count;
  Value part = slice(op, value, begin, extents);
  nn::ConstantOp folded = part ? foldedConstant(op, part) : nn::ConstantOp();
  return folded ? Value(folded) : part;
}

/// The past of keys and values at two positions; one without elements is none.
LogicalResult appendPast(OnnxOperation &op, Attention &attention, uint32_t position, int64_t &past) {
  if (!op.hasInput(position) || op.emptyInput(position))
    return success();
  Value key = ofRank(op, op.value(position, "past_key"), "past_key", 4), value = op.value(position + 1, "past_value");
  if (!key || !value)
    return failure();
  past = shapeOf(key)[2];
  attention.k = appended(op, key, attention.k);
  attention.v = appended(op, value, attention.v);
  return success();
}

LogicalResult convertGroupQueryAttention(OnnxOperation &op) {
  const int64_t heads = op.integer("num_heads", 0), keyHeads = op.integer("kv_num_heads", 0);
  if (op.integer("local_window_size", -1) != -1)
    return op.refuse("local_window_size", "is -1", Twine(op.integer("local_window_size", -1)), "-1");
  if (op.integer("smooth_softmax", 0) > 0)
    return op.refuse("smooth_softmax", "is 0", "1", "0");
  if (op.numInputs() > 9)
    for (uint32_t position : {9, 11, 12, 13})
      if (op.hasInput(position))
        return op.refuse("input " + std::to_string(position), "is omitted", "an operand");
  Value q = ofRank(op, op.value(0, "query"), "a query", 3);
  if (!q || heads < 1 || keyHeads < 1)
    return q ? LogicalResult(op.malformed("has no num_heads or kv_num_heads")) : failure();
  Attention attention{q, op.hasInput(1) ? op.value(1, "key") : Value(),
                      op.hasInput(2) ? op.value(2, "value") : Value()};
  if (!op.hasInput(1)) {
    const int64_t width = shapeOf(q)[2] / (heads + 2 * keyHeads);
    attention = {columns(op, q, 0, heads * width), columns(op, q, heads * width, keyHeads * width),
                 columns(op, q, (heads + keyHeads) * width, keyHeads * width)};
  }
  attention.q = headsFirst(op, attention.q, heads);
  attention.k = headsFirst(op, attention.k, keyHeads);
  attention.v = headsFirst(op, attention.v, keyHeads);
  if (failed(attention.check(op)))
    return failure();
  const int64_t length = attention.length();
  int64_t past = op.hasInput(3) && !op.emptyInput(3) ? shapeOf(op.value(3, "past_key"))[2] : 0;
  FailureOr<SmallVector<int64_t>> last = op.integers(5, "seqlens_k"), total = op.integers(6, "total_sequence_length");
  if (failed(last) || failed(total))
    return failure();
  if (total->size() != 1 || total->front() != past + length ||
      llvm::any_of(*last, [&](int64_t each) { return each + 1 != past + length; }))
    return op.refuse("seqlens_k", "are those of the past and the input", "sequences of other lengths");
  if (op.flag("do_rotary")) {
    const bool isInterleaved = op.flag("rotary_interleaved");
    Value cosine = anglesOf(op, op.value(7, "cos_cache"), {}, past, length);
    Value sine = anglesOf(op, op.value(8, "sin_cache"), {}, past, length);
    attention.q = rotated(op, attention.q, cosine, sine, isInterleaved);
    attention.k = rotated(op, attention.k, cosine, sine, isInterleaved);
  }
  if (!attention.q || failed(appendPast(op, attention, 3, past)) || failed(attention.check(op)))
    return failure();
  const Type element = elementOf(attention.q);
  attention.scale = op.number("scale", 0);
  attention.softcap = op.number("softcap", 0);
  attention.bias = causalBias(op, length, attention.total(), past, element);
  if (op.hasInput(10))
    attention.bias = sumOf(op, attention.bias, op.value(10, "attention_bias"));
  Value result = headsLast(op, attention.run(op));
  return failed(op.finish(result)) || failed(op.finish(attention.k, 1)) ? failure() : op.finish(attention.v, 2);
}

/// A mask of integers as a bias: one number for each key, or the number of keys of each batch.
Value keyMaskBias(OnnxOperation &op, uint32_t position, const Attention &attention, double masked) {
  const Type element = elementOf(attention.q);
  Value mask = op.value(position, "mask");
  if (!mask)
    return {};
  const SmallVector<int64_t> shape(shapeOf(mask));
  const int64_t batch = shapeOf(attention.q)[0];
  if (shape.size() == 1 && shape[0] == batch)
    return lengthBias(op, mask, attention.total(), element, masked);
  if (shape.size() == 1 || shape.size() > 3)
    return op.refuse("mask", "has numbers of keys, or one number for each key", nn::textOf(shape));
  const SmallVector<int64_t> wide = shape.size() == 2 ? SmallVector<int64_t>{shape[0], 1, 1, shape[1]}
                                                      : SmallVector<int64_t>{shape[0], 1, shape[1], shape[2]};
  Formula f(op, elementOf(mask));
  return biasWhere(op, f.compare(reshape(op, mask, wide), nn::CompareKind::NotEqual, 0), element, masked);
}

/// The last steps of the attentions of com.microsoft, which have one number of heads.
LogicalResult finishMultiHead(OnnxOperation &op, Attention &attention, uint32_t mask, uint32_t bias, int64_t past) {
  if (failed(attention.check(op)))
    return failure();
  const float masked = op.number("mask_filter_value", -10000);
  attention.scale = op.number("scale", 0);
  if (op.hasInput(mask) && !(attention.bias = keyMaskBias(op, mask, attention, masked)))
    return failure();
  if (op.hasInput(bias))
    attention.bias = sumOf(op, attention.bias, op.value(bias, "attention_bias"));
  if (op.flag("unidirectional"))
    attention.bias =
        sumOf(op, attention.bias, causalBias(op, attention.length(), attention.total(), past, elementOf(attention.q)));
  return op.finish(headsLast(op, attention.run(op)));
}

LogicalResult convertMultiHeadAttention(OnnxOperation &op) {
  const int64_t heads = op.integer("num_heads", 0);
  if (!op.hasInput(1) || !op.hasInput(2))
    return op.refuse("key", "is an operand of its own", "packed operands");
  Attention attention{op.value(0, "query"), op.value(1, "key"), op.value(2, "value")};
  if (!attention.q || !attention.k || !attention.v)
    return failure();
  const bool hasHeads = shapeOf(attention.k).size() == 4;
  if (op.hasInput(3)) {
    Value bias = op.parameter(3, "bias");
    int64_t first = 0;
    for (Value *each : {&attention.q, &attention.k, &attention.v}) {
      const int64_t width =
          hasHeads && each != &attention.q ? shapeOf(*each)[1] * shapeOf(*each)[3] : shapeOf(*each).back();
      if (!hasHeads || each == &attention.q)
        *each = add(op, *each, columns(op, bias, first, width));
      first += width;
      if (!*each)
        return failure();
    }
  }
  attention.q = headsFirst(op, attention.q, heads);
  if (!hasHeads) {
    attention.k = headsFirst(op, attention.k, heads);
    attention.v = headsFirst(op, attention.v, heads);
  }
  int64_t past = 0;
  if (failed(appendPast(op, attention, 6, past)) || failed(finishMultiHead(op, attention, 4, 5, past)))
    return failure();
  return failed(op.finish(attention.k, 1)) ? failure() : op.finish(attention.v, 2);
}

LogicalResult convertMicrosoftAttention(OnnxOperation &op) {
  const int64_t heads = op.integer("num_heads", 0);
  Value x = ofRank(op, op.value(0, "input"), "an input", 3),
        weights = ofRank(op, op.parameter(1, "weights"), "weights", 2);
  Value bias = op.hasInput(2) ? op.parameter(2, "bias") : Value();
  if (!x || !weights || (op.hasInput(2) && !bias))
    return failure();
  if (op.flag("do_rotary") || op.hasInput(6))
    return op.refuse("do_rotary", "is 0, without past_sequence_length", "another form");
  const int64_t width = shapeOf(weights)[1] / 3;
  const SmallVector<int64_t> widths = op.list("qkv_hidden_sizes", {width, width, width});
  if (widths.size() != 3 || widths[0] + widths[1] + widths[2] != shapeOf(weights)[1] ||
      llvm::any_of(widths, [](int64_t each) { return each < 1; }))
    return op.malformed("has the qkv_hidden_sizes " + nn::textOf(widths) + " and weights " +
                        nn::textOf(shapeOf(weights)));
  Value packed = matrixProduct(op, x, weights, false, false, bias);
  Attention attention{headsFirst(op, columns(op, packed, 0, widths[0]), heads),
                      headsFirst(op, columns(op, packed, widths[0], widths[1]), heads),
                      headsFirst(op, columns(op, packed, widths[0] + widths[1], widths[2]), heads)};
  int64_t past = 0;
  if (op.hasInput(4)) {
    Value both = ofRank(op, op.value(4, "past"), "past", 5);
    if (!both)
      return failure();
    SmallVector<int64_t> part(shapeOf(both));
    past = part[3];
    part[0] = 1;
    const auto half = [&](int64_t index) {
      return reshape(op, slice(op, both, {index, 0, 0, 0, 0}, part), ArrayRef(part).drop_front());
    };
    attention.k = appended(op, half(0), attention.k);
    attention.v = appended(op, half(1), attention.v);
  }
  if (failed(finishMultiHead(op, attention, 3, 5, past)))
    return failure();
  if (!op.hasOutput(1))
    return success();
  SmallVector<int64_t> shape(shapeOf(attention.k));
  shape.insert(shape.begin(), 1);
  return op.finish(concatenate(op, {reshape(op, attention.k, shape), reshape(op, attention.v, shape)}, 0), 1);
}

constexpr OnnxConverter kConverters[] = {
    {"Attention", 23, 3, 7, convertAttention, 1, 4},
    {"RotaryEmbedding", 23, 3, 4, convertRotaryEmbedding},
    {"Attention", 1, 2, 7, convertMicrosoftAttention, 1, 2, kMicrosoft},
    {"GroupQueryAttention", 1, 1, 14, convertGroupQueryAttention, 1, 3, kMicrosoft},
    {"MultiHeadAttention", 1, 1, 8, convertMultiHeadAttention, 1, 3, kMicrosoft},
    {"RotaryEmbedding", 1, 4, 4, convertMicrosoftRotary, 1, 1, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxAttentionConverters() { return kConverters; }

} // namespace avocet::compiler
