//===- Encoder.cpp - A transformer encoder block as a .tflite model -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encoder.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

constexpr int32_t kTokens = EncoderShape::kTokens, kWidth = EncoderShape::kWidth, kHeads = EncoderShape::kHeads;
constexpr int32_t kDepth = kWidth / kHeads;
const Shape kRows = {1, kTokens, kWidth}, kColumn = {1, kTokens, 1}, kSplit = {1, kTokens, kHeads, kDepth};
const Shape kHeadRows = {1, kHeads, kTokens, kDepth}, kScores = {1, kHeads, kTokens, kTokens};
const Element kFloat = Draft::plain(TensorType::FLOAT32);

/// Each method adds operators and returns the tensor of their result. A range is what a calibration would find.
class EncoderWriter {
public:
  explicit EncoderWriter(Kind kind) : draft_(kind, 12) {}

  TestModel write() {
    const int32_t x = embedding();
    const int32_t attended = normalized(sum(x, attention(x), {-5, 5}));
    draft_.model().addResult(normalized(sum(attended, feedForward(attended), {-6, 6})));
    return draft_.model().finish();
  }

private:
  bool isWide() const { return draft_.kind() == Kind::I16; }

  Element elementOf(Range range) const {
    if (draft_.kind() == Kind::F32)
      return kFloat;
    if (isWide())
      return {TensorType::INT16, {static_cast<float>(std::max(-range.low, range.high) / 32767)}, {0}};
    const double scale = (range.high - range.low) / 255;
    return {TensorType::INT8, {static_cast<float>(scale)}, {std::lround(-128 - range.low / scale)}};
  }

  int32_t result(BuiltinOperator code, const std::vector<int32_t> &inputs, const Shape &shape, const Element &element) {
    const int32_t tensor = draft_.model().addTensor(shape, element);
    draft_.op(code, inputs, {tensor});
    return tensor;
  }
  template <typename Options>
  int32_t result(BuiltinOperator code, const std::vector<int32_t> &inputs, const Shape &shape, const Element &element,
                 Options options) {
    const int32_t tensor = draft_.model().addTensor(shape, element);
    draft_.op(code, inputs, {tensor}, std::move(options));
    return tensor;
  }

  /// The same for operators without 16-bit kernels.
  template <typename... Options>
  int32_t floatIfWide(BuiltinOperator code, std::vector<int32_t> inputs, const Shape &shape, Range range,
                      Options... options) {
    if (!isWide())
      return result(code, inputs, shape, elementOf(range), options...);
    for (int32_t &input : inputs)
      input = result(BuiltinOperator::DEQUANTIZE, {input}, draft_.model().shape(input), kFloat);
    return result(BuiltinOperator::QUANTIZE, {result(code, inputs, shape, kFloat, options...)}, shape,
                  elementOf(range));
  }

  /// A constant of one number above zero.
  int32_t scalar(double value) {
    const Element element = elementOf({0, value});
    const double stored = element.scales.empty() ? value : std::round(value / element.scale()) + element.zeroPoint();
    return draft_.model().addConstant({}, element, encode({stored}, element.type));
  }

  int32_t embedding() {
    const Range range = {-2, 2};
    const Element element = elementOf(range);
    const int32_t ids = draft_.input({kTokens}, Draft::plain(TensorType::INT32), {0, EncoderShape::kVocabulary - 1});
    const int32_t table = draft_.constant({EncoderShape::kVocabulary, kWidth}, element, range);
    // EMBEDDING_LOOKUP has no 16-bit form.
    const int32_t rows =
        isWide() ? result(BuiltinOperator::GATHER, {table, ids}, {kTokens, kWidth}, element, tflite::GatherOptionsT())
                 : result(BuiltinOperator::EMBEDDING_LOOKUP, {ids, table}, {kTokens, kWidth}, element);
    return reshaped(rows, kRows);
  }

  int32_t reshaped(int32_t x, const Shape &shape) {
    return result(BuiltinOperator::RESHAPE, {x, draft_.integers({shape.begin(), shape.end()})}, shape,
                  draft_.model().element(x));
  }

  /// Exchanges tokens and heads.
  int32_t exchanged(int32_t x, const Shape &shape) {
    return result(BuiltinOperator::TRANSPOSE, {x, draft_.integers({0, 2, 1, 3})}, shape, draft_.model().element(x));
  }

  /// Weights keep the spread of the numbers.
  int32_t dense(int32_t x, int32_t channels, Range range) {
    const int32_t depth = draft_.model().shape(x).back();
    const double limit = std::sqrt(3.0 / depth);
    const Element input = draft_.model().element(x);
    Element weights = kFloat, bias = kFloat;
    Range biases = {-0.2, 0.2};
    if (!input.scales.empty()) {
      weights = {TensorType::INT8, {static_cast<float>(limit / 127)}, {0}};
      const float step = input.scale() * weights.scale();
      bias = {isWide() ? TensorType::INT64 : TensorType::INT32, {step}, {0}};
      biases = {std::round(biases.low / step), std::round(biases.high / step)};
    }
    tflite::FullyConnectedOptionsT options;
    options.keep_num_dims = true;
    return result(
        BuiltinOperator::FULLY_CONNECTED,
        {x, draft_.constant({channels, depth}, weights, {-limit, limit}), draft_.constant({channels}, bias, biases)},
        {1, kTokens, channels}, elementOf(range), options);
  }

  int32_t product(int32_t x, int32_t y, const Shape &shape, Range range, bool isTransposed) {
    tflite::BatchMatMulOptionsT options;
    options.adj_y = isTransposed;
    return result(BuiltinOperator::BATCH_MATMUL, {x, y}, shape, elementOf(range), options);
  }

  int32_t attention(int32_t x) {
    const auto heads = [&] { return exchanged(reshaped(dense(x, kWidth, {-4, 4}), kSplit), kHeadRows); };
    const int32_t query = heads(), key = heads(), value = heads();
    const int32_t products = product(query, key, kScores, {-20, 20}, true), factor = scalar(1 / std::sqrt(kDepth));
    const int32_t scores = scaled(products, factor, {-5, 5});
    tflite::SoftmaxOptionsT options;
    options.beta = 1;
    const Element unit = draft_.unit();
    const int32_t weights = result(BuiltinOperator::SOFTMAX, {scores}, kScores, unit, options);
    const int32_t mixed = product(weights, value, kHeadRows, {-3, 3}, false);
    return dense(reshaped(exchanged(mixed, kSplit), kRows), kWidth, {-3, 3});
  }

  int32_t feedForward(int32_t x) {
    const int32_t inner = dense(x, EncoderShape::kInner, {-4, 4});
    const Shape shape = draft_.model().shape(inner);
    return dense(floatIfWide(BuiltinOperator::GELU, {inner}, shape, {-0.2, 4}, tflite::GeluOptionsT()), kWidth,
                 {-3, 3});
  }

  /// Scales are no powers of two.
  int32_t sum(int32_t x, int32_t y, Range range) {
    tflite::AddOptionsT options;
    options.pot_scale_int16 = false;
    return result(BuiltinOperator::ADD, {x, y}, draft_.model().shape(x), elementOf(range), options);
  }
  int32_t scaled(int32_t x, int32_t factors, Range range) {
    return result(BuiltinOperator::MUL, {x, factors}, draft_.model().shape(x), elementOf(range), tflite::MulOptionsT());
  }
  int32_t mean(int32_t x, Range range) {
    tflite::ReducerOptionsT options;
    options.keep_dims = true;
    return result(BuiltinOperator::MEAN, {x, draft_.integers({-1})}, kColumn, elementOf(range), options);
  }

  /// x * factors + (offsets - mean * factors), with factors = gamma / sqrt(variance + epsilon).
  int32_t normalized(int32_t x) {
    const Range shared = {-5, 5};
    const int32_t average = mean(x, {-1, 1});
    const int32_t squares = floatIfWide(BuiltinOperator::SQUARED_DIFFERENCE, {x, average}, kRows, {0, 16});
    const int32_t exact = mean(squares, {0, 4}), epsilon = scalar(1e-3);
    const int32_t variance = sum(exact, epsilon, {0, 4});
    const int32_t inverse = floatIfWide(BuiltinOperator::RSQRT, {variance}, kColumn, {0, 2});
    const int32_t gamma = draft_.constant({kWidth}, elementOf({0, 1.5}), {0.5, 1.5});
    const int32_t factors =
        result(BuiltinOperator::MUL, {inverse, gamma}, kRows, elementOf({0, 3}), tflite::MulOptionsT());
    tflite::SubOptionsT options;
    options.pot_scale_int16 = false;
    const int32_t beta = draft_.constant({kWidth}, elementOf({-0.3, 0.3}), {-0.3, 0.3});
    const int32_t moved =
        result(BuiltinOperator::MUL, {average, factors}, kRows, elementOf({-1, 1}), tflite::MulOptionsT());
    const int32_t offsets = result(BuiltinOperator::SUB, {beta, moved}, kRows, elementOf({-1, 1}), options);
    return sum(scaled(x, factors, shared), offsets, shared);
  }

  Draft draft_;
};

} // namespace

TestModel encoderBlock(Kind kind) { return EncoderWriter(kind).write(); }

} // namespace avocet::differential
