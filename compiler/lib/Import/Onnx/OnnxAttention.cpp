//===- OnnxAttention.cpp - Attention ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Attention.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/MatrixProduct.h"
#include "Import/Common/Moves.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The past of keys and values at two positions, if they have any. Fails if operands do not fit each other.
LogicalResult appendPast(OnnxOperation &op, Attention &attention, uint32_t position) {
  const bool hasPast = op.hasInput(position) || op.hasInput(position + 1);
  if (hasPast && !op.emptyInput(position))
    attention.appendPast(op, ofRank(op, op.value(position, "past_key"), "past_key", 4),
                         op.value(position + 1, "past_value"));
  return attention.check(op);
}

/// Binds the result with heads, or without them, and the keys and values with their past.
LogicalResult finishAttention(OnnxOperation &op, const Attention &attention, Value result) {
  return finishAll(op, {result, attention.k, attention.v});
}

LogicalResult convertAttention(OnnxOperation &op) {
  op.ignore({"softmax_precision"});
  Attention attention{op.value(0, "Q"), op.value(1, "K"), op.value(2, "V")};
  if (!attention.q || !attention.k || !attention.v)
    return failure();
  const bool isFlat = shapeOf(attention.q).size() == 3;
  const int64_t queryHeads = op.integer("q_num_heads", 0), keyHeads = op.integer("kv_num_heads", 0);
  if (isFlat)
    attention.splitHeads(op, queryHeads, keyHeads);
  if (failed(appendPast(op, attention, 4)))
    return failure();
  attention.scale = op.number("scale", 0);
  attention.softcap = op.number("softcap", 0);
  if (op.hasInput(3))
    attention.maskBy(op, op.value(3, "attn_mask"));
  // As in the runtime, one query after a past sees all keys.
  if (op.flag("is_causal") && (attention.past == 0 || attention.length() > 1))
    attention.maskFuture(op);
  if (op.hasInput(6))
    attention.maskAfter(op, op.value(6, "nonpad_kv_seqlen"));
  Value result = attention.run(op);
  const int64_t mode = op.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return op.malformed("has the qk_matmul_output_mode " + Twine(mode));
  // For one opset, ONNX 1.21 counts the mask as 1 and softcap, which follows it, as 2; ONNX 1.22 the other way around.
  const bool hasCap = attention.softcap > 0, hasBias = !attention.biases.empty();
  if (op.hasOutput(3) && ((mode == 1 && (hasCap || hasBias)) || (mode == 2 && hasCap && hasBias)))
    return op.refuse("qk_matmul_output_mode", "means the same in all releases of ONNX", Twine(mode), "0 or 3");
  const Value outputs[] = {attention.products, attention.capped, attention.biased, attention.weights};
  if (failed(finishAttention(op, attention, isFlat ? headsLast(op, result) : result)))
    return failure();
  return op.finish(outputs[mode], 3);
}

/// The tables of angles follow one another from operand `cosine` on.
LogicalResult finishRotary(OnnxOperation &op, Value x, Value positions, uint32_t cosineAt) {
  Value cosine = op.value(cosineAt, "cos_cache"), sine = op.value(cosineAt + 1, "sin_cache");
  if (!x || !cosine || !sine)
    return failure();
  const bool isFlat = shapeOf(x).size() == 3;
  const int64_t heads = op.integer("num_heads", 0), width = op.integer("rotary_embedding_dim", 0),
                angles = shapeOf(cosine).empty() ? 0 : 2 * shapeOf(cosine).back();
  if (isFlat)
    x = headsFirst(op, x, heads == 0 ? shapeOf(x)[2] / std::max<int64_t>(angles, 1) : heads);
  x = ofRank(op, x, "an input", 4);
  if (!x)
    return failure();
  if (width != 0 && width != angles)
    return op.malformed("has the rotary_embedding_dim " + Twine(width) + ", and angles for " + Twine(angles));
  const auto at = [&](Value table) { return anglesOf(op, table, positions, 0, shapeOf(x)[2]); };
  Value result = rotated(op, x, at(cosine), at(sine), op.flag("interleaved"));
  return op.finish(isFlat ? headsLast(op, result) : result);
}

LogicalResult convertRotaryEmbedding(OnnxOperation &op) {
  return finishRotary(op, op.value(0, "input"), op.optional(3, "position_ids"), 1);
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
  return finishRotary(op, x, positions, 2);
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
  Attention attention{q, op.optional(1, "key"), op.optional(2, "value")};
  if (!op.hasInput(1)) {
    const int64_t width = shapeOf(q)[2] / (heads + 2 * keyHeads);
    attention = Attention::unpacked(op, q, {heads * width, keyHeads * width, keyHeads * width});
  }
  attention.splitHeads(op, heads, keyHeads);
  if (failed(attention.check(op)))
    return failure();
  const int64_t length = attention.length();
  Value pastKey = op.emptyInput(3) ? Value() : ofRank(op, op.optional(3, "past_key"), "past_key", 4);
  const int64_t past = pastKey ? shapeOf(pastKey)[2] : 0;
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
  if (failed(appendPast(op, attention, 3)))
    return failure();
  attention.scale = op.number("scale", 0);
  attention.softcap = op.number("softcap", 0);
  attention.maskFuture(op);
  if (op.hasInput(10))
    attention.biases.push_back(op.value(10, "attention_bias"));
  return finishAttention(op, attention, headsLast(op, attention.run(op)));
}

/// The last steps of the attentions of com.microsoft, which have one number of heads.
Value runMultiHead(OnnxOperation &op, Attention &attention, uint32_t mask, uint32_t bias) {
  const float masked = op.number("mask_filter_value", -10000);
  attention.scale = op.number("scale", 0);
  if (op.hasInput(mask) && failed(attention.maskKeys(op, op.value(mask, "mask"), masked)))
    return {};
  if (op.hasInput(bias))
    attention.biases.push_back(op.value(bias, "attention_bias"));
  if (op.flag("unidirectional"))
    attention.maskFuture(op);
  return headsLast(op, attention.run(op));
}

LogicalResult convertMultiHeadAttention(OnnxOperation &op) {
  const int64_t heads = op.integer("num_heads", 0);
  if (!op.hasInput(1) || !op.hasInput(2))
    return op.refuse("key", "is an operand of its own", "packed operands");
  Attention attention{op.value(0, "query"), op.value(1, "key"), op.value(2, "value")};
  if (!attention.q || !attention.k || !attention.v)
    return failure();
  Value bias = op.optionalParameter(3, "bias");
  int64_t first = 0;
  const bool hasHeads = shapeOf(attention.k).size() == 4;
  for (Value *each : {&attention.q, &attention.k, &attention.v}) {
    if (hasHeads && each != &attention.q)
      continue;
    const int64_t width = shapeOf(*each).back();
    Value own = columns(op, bias, first, width);
    *each = headsFirst(op, own ? add(op, *each, own) : *each, heads);
    first += width;
  }
  if (failed(appendPast(op, attention, 6)))
    return failure();
  return finishAttention(op, attention, runMultiHead(op, attention, 4, 5));
}

LogicalResult convertMicrosoftAttention(OnnxOperation &op) {
  const int64_t heads = op.integer("num_heads", 0);
  Value x = ofRank(op, op.value(0, "input"), "an input", 3),
        weights = ofRank(op, op.parameter(1, "weights"), "weights", 2);
  Value bias = op.optionalParameter(2, "bias");
  if (!x || !weights)
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
  Attention attention = Attention::unpacked(op, packed, {widths[0], widths[1], widths[2]});
  attention.splitHeads(op, heads, heads);
  if (op.hasInput(4)) {
    Value past = ofRank(op, op.value(4, "past"), "past", 5);
    attention.appendPast(op, elementAt(op, past, 0, 0), elementAt(op, past, 0, 1));
  }
  if (failed(attention.check(op)) || failed(op.finish(runMultiHead(op, attention, 3, 5))))
    return failure();
  return op.hasOutput(1) ? op.finish(stacked(op, {attention.k, attention.v}, 0), 1) : success();
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
